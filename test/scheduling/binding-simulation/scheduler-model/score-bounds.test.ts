import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeBalanceOfNode,
  computeResourceScore,
} from '../../../../shared/scheduling/binding-simulation/scheduler-model/resource-score.ts';
import {
  createScoreBounds,
  isScoreBelow,
  resetScoreBound,
  updateScoreBound,
} from '../../../../shared/scheduling/binding-simulation/scheduler-model/score-bounds.ts';

const COLUMNS = 2;

/** CPU and memory, allocatable and requested by pods and by one more pod; nodes may be overcommitted or lack a resource. */
const aNodeWithPod = fc.record({
  allocatable: fc.tuple(fc.integer({ min: 0, max: 64_000 }), fc.integer({ min: 0, max: 262_144 })),
  used: fc.tuple(fc.integer({ min: 0, max: 70_000 }), fc.integer({ min: 0, max: 300_000 })),
  request: fc.tuple(fc.integer({ min: 0, max: 16_000 }), fc.integer({ min: 0, max: 65_536 })),
});

function createBoundOf(free: Float64Array, allocatable: Float64Array) {
  const bounds = createScoreBounds(1);
  const balance = computeBalanceOfNode(free, allocatable);
  updateScoreBound(bounds, 0, free, allocatable, COLUMNS, balance);
  return bounds;
}

describe('the bound of a resource score', () => {
  it('is never below the score of a pod that fits', () => {
    fc.assert(
      fc.property(aNodeWithPod, ({ used, request: [cpu, memory], ...node }) => {
        const allocatable = Float64Array.from(node.allocatable);
        const free = allocatable.map((amount, column) => amount - (used[column] ?? 0));
        const requested = [cpu, memory].flatMap((amount, column) => (amount > 0 ? [column] : []));
        const score = computeResourceScore(Float64Array.of(cpu, memory), requested, free, allocatable);
        fc.pre(score >= 0);
        const bounds = createBoundOf(free, allocatable);
        expect(isScoreBelow(bounds, 0, cpu, memory, score)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is at most three above the score, so that it refuses most of the nodes that are not the best', () => {
    const bounds = createBoundOf(Float64Array.of(3_000, 9_000), Float64Array.of(8_000, 16_000));
    const score = computeResourceScore(
      Float64Array.of(500, 700),
      [0, 1],
      Float64Array.of(3_000, 9_000),
      Float64Array.of(8_000, 16_000),
    );
    expect(isScoreBelow(bounds, 0, 500, 700, score + 3)).toBe(true);
  });

  it('refuses a pod that is larger than the free room', () => {
    const bounds = createBoundOf(Float64Array.of(400, 9_000), Float64Array.of(8_000, 16_000));
    expect(isScoreBelow(bounds, 0, 500, 0, -300)).toBe(true);
    expect(isScoreBelow(bounds, 0, 400, 0, -300)).toBe(false);
  });

  it('never refuses an overcommitted node, whose score has other limits', () => {
    const bounds = createBoundOf(Float64Array.of(-400, 9_000), Float64Array.of(8_000, 16_000));
    expect(isScoreBelow(bounds, 0, 0, 100, 1_000)).toBe(false);
  });

  it('is reset with the node', () => {
    const initial = createBoundOf(Float64Array.of(400, 9_000), Float64Array.of(8_000, 16_000));
    const bounds = initial.slice();
    updateScoreBound(bounds, 0, Float64Array.of(1, 1), Float64Array.of(8_000, 16_000), COLUMNS, 90);
    resetScoreBound(bounds, initial, 0);
    expect(bounds).toEqual(initial);
  });
});
