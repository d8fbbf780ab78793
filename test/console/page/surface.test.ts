import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LEVELS } from '../../../console/page/map/layout/layout.ts';
import { buildScene } from '../../../console/page/map/layout/scene.ts';
import type { Palette } from '../../../console/page/map/painting/palette.ts';
import {
  canContinue,
  fitToPicture,
  listMissing,
  type Picture,
  prepareSurface,
  type Surface,
} from '../../../console/page/map/painting/surface.ts';
import type { NodeWithPods } from '../../../console/page/store/cluster-model.ts';
import { aBox } from '../support/boxes.ts';

const [NEAREST, SECOND] = LEVELS;
// Surfaces only compare palettes.
const PALETTE = {} as Palette;
const NODES = Array.from({ length: 200 }, (_, index) => aBox(`general-${index}`, { bornAt: index }));

function aPicture(top: number, nodes: readonly NodeWithPods[] = NODES, before?: Picture): Picture {
  const scene = buildScene(
    { nodes: new Map(nodes.map((item) => [item.node.name, item])), namespaces: [] },
    {
      ...{ grouping: 'zone', area: 'dominant', size: { w: 1_000, h: 500 } },
      ...(NEAREST && { zoom: NEAREST }),
    },
    before?.scene,
  );
  return { scene, palette: PALETTE, window: { top, height: 960 } };
}

/** A surface with a context that only takes notes of copies. */
function aSurface(): Surface & { readonly copies: unknown[][] } {
  vi.stubGlobal('devicePixelRatio', 1);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const copies: unknown[][] = [];
  const nothing = () => undefined;
  const context = {
    ...{ save: nothing, restore: nothing, resetTransform: nothing, setTransform: nothing },
    clearRect: nothing,
    drawImage: (...values: unknown[]) => copies.push(values.slice(1)),
  } as unknown as CanvasRenderingContext2D;
  const canvas = { style: {}, width: 0, height: 0 } as unknown as HTMLCanvasElement;
  return { canvas, context, picture: undefined, painted: new Map(), copies };
}

/** A surface on which a picture is complete. */
function aPaintedSurface(picture: Picture) {
  const surface = aSurface();
  fitToPicture(surface, picture);
  surface.picture = picture;
  for (const scened of listMissing(surface)) surface.painted.set(scened.box.name, scened);
  return surface;
}

describe('a surface of the map', () => {
  it('continues with a picture in which only the content of boxes changed', () => {
    const picture = aPicture(0);
    const [first, ...others] = NODES;
    const surface = aPaintedSurface(picture);
    const changed = aPicture(0, first ? [{ ...first, pods: [] }, ...others] : [], picture);

    expect(canContinue(surface, changed)).toBe(true);
    surface.picture = changed;
    expect(listMissing(surface).map(({ box }) => box.name)).toEqual(['general-0']);
  });

  it('does not continue with boxes at other positions, another window or another level', () => {
    const surface = aPaintedSurface(aPicture(0));
    const farther = buildScene(
      { nodes: new Map(NODES.map((item) => [item.node.name, item])), namespaces: [] },
      {
        ...{ grouping: 'zone', area: 'dominant', size: { w: 1_000, h: 500 } },
        ...(SECOND && { zoom: SECOND }),
      },
    );

    expect(canContinue(surface, aPicture(0, NODES.slice(1)))).toBe(false);
    expect(canContinue(surface, aPicture(120))).toBe(false);
    expect(canContinue(surface, { ...aPicture(0), scene: farther })).toBe(false);
    expect(canContinue(surface, { ...aPicture(0), palette: { ...PALETTE } })).toBe(false);
  });

  it('copies after scrolling what another surface shows, and misses only the rest', () => {
    const picture = aPicture(0);
    const from = aPaintedSurface(picture);
    const surface = aSurface();
    const scrolled = { ...picture, window: { top: 240, height: 960 } };
    prepareSurface(surface, scrolled, from);

    expect(surface.copies).toEqual([[0, -240]]);
    const tops = listMissing(surface).map(({ box }) => box.y);
    // The window of before ended at 960 and cut the boxes there.
    expect(Math.min(...tops)).toBeGreaterThan(960 - 112);
    expect(tops.length).toBeLessThan(surface.painted.size);
  });

  it('does not keep boxes that moved, nor copies of another level', () => {
    const picture = aPicture(0);
    const from = aPaintedSurface(picture);
    const surface = aSurface();
    prepareSurface(surface, aPicture(0, NODES.slice(1), picture), from);
    expect([...surface.painted.keys()]).toEqual([]);
    expect(listMissing(surface).length).toBeGreaterThan(0);

    const other = aSurface();
    prepareSurface(other, { ...picture, palette: { ...PALETTE } }, from);
    expect(other.copies).toEqual([]);
  });
});
