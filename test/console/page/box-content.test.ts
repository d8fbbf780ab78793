import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AREAS, computeBoxContent } from '../../../console/page/map/layout/box-content.ts';
import { tileFromLeft } from '../../../console/page/map/layout/tiling.ts';
import { aBox, aTile } from '../support/boxes.ts';

const INNER = { x: 10, y: 20, w: 200, h: 50 };
const OPTIONS = { area: 'dominant', namespaceColors: new Map(), detail: 'labels' } as const;

describe('tiles', () => {
  const anyShares = fc
    .array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
    .map((weights) => {
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return weights.map((weight, item) => ({ item, share: weight / sum }));
    });

  it('have areas proportional to their shares, whatever their form', () => {
    fc.assert(
      fc.property(anyShares, (shares) => {
        for (const { item, w, h } of tileFromLeft(shares, INNER)) {
          const share = shares[item]?.share ?? 0;
          expect(w * h).toBeCloseTo(share * INNER.w * INNER.h, 6);
        }
      }),
    );
  });

  it('stay inside their box and in order from left to right', () => {
    fc.assert(
      fc.property(anyShares, (shares) => {
        const tiles = tileFromLeft(shares, INNER);
        for (const { x, y, w, h } of tiles) {
          expect(x).toBeGreaterThanOrEqual(INNER.x - 1e-6);
          expect(y).toBeGreaterThanOrEqual(INNER.y - 1e-6);
          expect(x + w).toBeLessThanOrEqual(INNER.x + INNER.w + 1e-6);
          expect(y + h).toBeLessThanOrEqual(INNER.y + INNER.h + 1e-6);
        }
        const lefts = tiles.map(({ x }) => x);
        expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('the content of a box', () => {
  it.each([
    ['dominant', 0.5],
    ['cpu', 0.25],
    ['memory', 0.5],
  ] as const)('fills the box by %s to %d', (area, filled) => {
    const pods = [aTile('a', { requests: { cpuMilli: 2_000, memoryMib: 16_000, gpu: 0, pods: 1 } })];
    const { free } = computeBoxContent(aBox('n', {}, pods), INNER, { ...OPTIONS, area });

    expect(1 - free.w / INNER.w).toBeCloseTo(filled, 6);
  });

  it('fills the box of a node whose memory is full, although its pods have different shapes', () => {
    const pods = [
      aTile('a', { requests: { cpuMilli: 8_000, memoryMib: 0, gpu: 0, pods: 1 } }),
      aTile('b', { requests: { cpuMilli: 0, memoryMib: 32_000, gpu: 0, pods: 1 } }),
    ];
    const { tiles, free } = computeBoxContent(aBox('n', {}, pods), INNER, OPTIONS);

    expect(free.w).toBeCloseTo(0, 6);
    expect(tiles.map(({ w, h }) => w * h)).toEqual([5_000, 5_000]);
  });

  it('shows DaemonSets as a strip on the left that is never too thin to be seen', () => {
    const logs = aTile('logs', {
      daemon: true,
      requests: { cpuMilli: 10, memoryMib: 10, gpu: 0, pods: 1 },
    });
    const { daemons, tiles } = computeBoxContent(aBox('n', {}, [logs, aTile('a')]), INNER, OPTIONS);

    expect(daemons).toEqual({ ...INNER, w: 3 });
    expect(tiles.map(({ item }) => item.name)).toEqual(['a']);
  });

  it('orders pods by namespace, then workload, the largest first', () => {
    const pods = [
      aTile('z', { namespace: 'late', key: 'late/z' }),
      aTile('small', { workload: 'web' }),
      aTile('large', {
        workload: 'web',
        requests: { cpuMilli: 2_000, memoryMib: 0, gpu: 0, pods: 1 },
      }),
      aTile('api', { workload: 'api' }),
    ];
    const namespaceColors = new Map([
      ['shop', 0],
      ['late', 1],
    ]);
    const { tiles } = computeBoxContent(aBox('n', {}, pods), INNER, {
      ...OPTIONS,
      namespaceColors,
    });

    expect(tiles.map(({ item }) => item.name)).toEqual(['api', 'large', 'small', 'z']);
  });

  it('shows namespaces as stripes and no single pods at far levels', () => {
    const pods = [aTile('a'), aTile('b'), aTile('c', { namespace: 'late', key: 'late/c' })];
    const { tiles, stripes } = computeBoxContent(aBox('n', {}, pods), INNER, {
      ...OPTIONS,
      detail: 'stripes',
    });

    expect(tiles).toEqual([]);
    expect(stripes.map(({ item, w }) => [item, Math.round(w)])).toEqual([
      ['late', 25],
      ['shop', 50],
    ]);
  });

  it('stays inside the box even if requests exceed the allocatable resources', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 8 }), fc.constantFrom(...AREAS), (cpus, area) => {
        const pods = cpus.map((cpuMilli, index) =>
          aTile(`p${index}`, { requests: { cpuMilli, memoryMib: 0, gpu: 0, pods: 1 } }),
        );
        const { tiles, free } = computeBoxContent(aBox('n', {}, pods), INNER, {
          ...OPTIONS,
          area,
        });
        const right = Math.max(INNER.x, ...tiles.map(({ x, w }) => x + w));
        expect(right).toBeLessThanOrEqual(INNER.x + INNER.w + 1e-6);
        expect(free.w).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
