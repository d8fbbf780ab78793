import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNeighbourBox } from '../../../console/page/map/layout/keyboard-navigation.ts';
import { groupIntoLanes } from '../../../console/page/map/layout/lanes.ts';
import { findBoxAt, fitLayout, LEVELS, layoutMap } from '../../../console/page/map/layout/layout.ts';
import { aBox } from '../support/boxes.ts';

const [near] = LEVELS;
const anyBoxes = fc
  .array(fc.tuple(fc.constantFrom(1, 2, 4, 8, 16), fc.constantFrom('a', 'b', 'c'), fc.nat(1_000)), {
    maxLength: 60,
  })
  .map((nodes) => nodes.map(([vcpu, zone, bornAt], index) => aBox(`n${index}`, { vcpu, zone, bornAt })));

describe('the layout of the map', () => {
  it('shows every node once, within the width and without overlap', () => {
    fc.assert(
      fc.property(anyBoxes, fc.integer({ min: 600, max: 2_000 }), (boxes, width) => {
        const { lanes } = fitLayout(groupIntoLanes(boxes, 'zone'), { w: width, h: 500 });
        const drawn = lanes.flatMap(({ rows }) => rows.flat());

        expect(drawn.map(({ name }) => name).toSorted()).toEqual(boxes.map(({ node }) => node.name).toSorted());
        for (const { x, w } of drawn) expect(x + w).toBeLessThanOrEqual(width);
        for (const [index, box] of drawn.entries()) {
          const later = drawn.slice(index + 1);
          const isCovered = later.some(
            (other) =>
              box.x < other.x + other.w &&
              other.x < box.x + box.w &&
              box.y < other.y + other.h &&
              other.y < box.y + box.h,
          );
          expect(isCovered).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('gives a vCPU the same width on every node', () => {
    const lanes = groupIntoLanes([aBox('a', { vcpu: 2 }), aBox('b', { vcpu: 16 })], 'zone');
    const [two, sixteen] = near ? (layoutMap(lanes, 1_000, near).lanes[0]?.rows.flat() ?? []) : [];

    expect((sixteen?.w ?? 0) / (two?.w ?? 1)).toBe(8);
  });

  it('orders lanes by name and nodes by age', () => {
    const lanes = groupIntoLanes(
      [aBox('young', { bornAt: 2 }), aBox('old', { bornAt: 1 }), aBox('far', { zone: 'us-east-1b' })],
      'zone',
    );

    expect(lanes.map(({ name, nodes }) => [name, nodes.map(({ node }) => node.name)])).toEqual([
      ['us-east-1a', ['old', 'young']],
      ['us-east-1b', ['far']],
    ]);
  });

  it('shows everything without scrolling, at the nearest level that allows it', () => {
    const few = groupIntoLanes([aBox('a')], 'zone');
    const many = groupIntoLanes(
      Array.from({ length: 1_000 }, (_, index) => aBox(`n${index}`)),
      'zone',
    );

    expect(fitLayout(few, { w: 950, h: 470 }).level).toBe(near);
    expect(fitLayout(many, { w: 950, h: 470 }).height).toBeLessThanOrEqual(470);
  });

  it('leaves half a box free, so that one more node seldom changes the level', () => {
    const lanes = groupIntoLanes([aBox('a')], 'zone');
    const height = near?.boxHeight ?? 0;

    expect(fitLayout(lanes, { w: 950, h: height }).level).not.toBe(near);
    expect(fitLayout(lanes, { w: 950, h: height * 1.5 }).level).toBe(near);
  });

  it('finds the box of each point in it, and none for a gap', () => {
    fc.assert(
      fc.property(anyBoxes, (boxes) => {
        const layout = fitLayout(groupIntoLanes(boxes, 'zone'), { w: 950, h: 470 });
        for (const box of layout.lanes.flatMap(({ rows }) => rows.flat())) {
          expect(findBoxAt(layout, box.x + box.w - 0.5, box.y + 0.5)).toBe(box);
          expect(findBoxAt(layout, box.x + box.w + 0.5, box.y + 0.5)?.name).not.toBe(box.name);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('arrow keys', () => {
  const layout = near
    ? layoutMap(
        groupIntoLanes(
          [aBox('a1', { bornAt: 1 }), aBox('a2', { bornAt: 2 }), aBox('b1', { zone: 'us-east-1b', bornAt: 1 })],
          'zone',
        ),
        1_000,
        near,
      )
    : undefined;

  it.each([
    [undefined, 'down', 'a1'],
    ['a1', 'right', 'a2'],
    ['a2', 'right', 'b1'],
    ['b1', 'left', 'a2'],
    ['a2', 'down', 'b1'],
    ['b1', 'up', 'a1'],
    ['a1', 'up', 'a1'],
    ['b1', 'right', 'b1'],
  ] as const)('move from %s with %s to %s', (from, direction, to) => {
    expect(layout && findNeighbourBox(layout, from, direction)?.name).toBe(to);
  });
});
