import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVELS } from '../../../console/page/map/layout/layout.ts';
import { isInWindow, listBoxesIn, windowAt } from '../../../console/page/map/layout/map-window.ts';
import { buildScene } from '../../../console/page/map/layout/scene.ts';
import { aBox } from '../support/boxes.ts';

const [nearest] = LEVELS;
const boxes = Array.from({ length: 200 }, (_, index) => aBox(`general-${index}`));
const scene = buildScene(
  { nodes: new Map(boxes.map((item) => [item.node.name, item])), namespaces: [] },
  {
    ...{ grouping: 'zone', area: 'dominant', size: { w: 1_000, h: 500 } },
    ...(nearest && { zoom: nearest }),
  },
);

describe('the window of the map', () => {
  it('is the whole map if that is little higher than the view', () => {
    expect(windowAt(0, 500, 900)).toEqual({ top: 0, height: 900 });
  });

  it('contains the view with a reserve, wherever it is scrolled, and no part twice', () => {
    const sizes = fc.record({
      view: fc.integer({ min: 1, max: 2_000 }),
      content: fc.integer({ min: 1, max: 100_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(sizes, ({ view, content, share }) => {
        const scrollTop = Math.round(share * Math.max(0, content - view));
        const { top, height } = windowAt(scrollTop, view, content);
        const bottom = top + height;
        expect(top).toBeGreaterThanOrEqual(0);
        expect(bottom).toBeLessThanOrEqual(content);
        expect(top).toBeLessThanOrEqual(Math.max(0, scrollTop - 120));
        expect(bottom).toBeGreaterThanOrEqual(Math.min(content, scrollTop + view + 120));
        expect(height).toBeLessThan(view + 1_200);
      }),
    );
  });

  it('does not change while the view moves a little', () => {
    expect(windowAt(480, 500, 20_000)).toEqual(windowAt(590, 500, 20_000));
    expect(windowAt(480, 500, 20_000)).not.toEqual(windowAt(600, 500, 20_000));
  });

  it('lists the boxes that it contains or cuts, and no others', () => {
    const window = windowAt(2_000, 500, scene.layout.height);
    const inside = [...scene.boxes.values()].filter(({ box }) => isInWindow(box, window));
    const listed = listBoxesIn(scene, window);

    expect(listed.length).toBeGreaterThan(0);
    expect(listed.length).toBeLessThan(scene.boxes.size);
    expect(new Set(listed)).toEqual(new Set(inside));
  });
});
