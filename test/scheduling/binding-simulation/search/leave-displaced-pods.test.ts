import { describe, expect, it } from 'vitest';
import {
  bindsCompletely,
  refreshEvaluation,
} from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { leaveDisplacedPods } from '../../../../shared/scheduling/binding-simulation/search/leave-displaced-pods.ts';
import { aCluster, aPool, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

/** The limit leaves pods unplaced, and small pods may take the room of large ones. */
const cluster = aCluster({
  types: createStepTypes(8),
  pools: [aPool({ limits: { cpu: 12_000 } })],
  pods: [
    ...createPods(12, 'small', { requests: requesting(0.5, 1) }),
    ...createPods(6, 'large', { requests: requesting(3, 3) }),
  ],
});

describe('leaveDisplacedPods', () => {
  const { context, evaluated } = packAndEvaluate(cluster);
  const { packing } = evaluated;

  it('leaves pods unplaced until the others bind in every order', () => {
    const maxUnplacedPods = packing.unplacedPods + 6;
    const result = leaveDisplacedPods({ ...context, maxUnplacedPods }, packing);

    expect(bindsCompletely(evaluated)).toBe(false);
    expect(result).toSatisfy(bindsCompletely);
    expect(result && refreshEvaluation(context, result)).toSatisfy(bindsCompletely);
    expect(result?.packing.unplacedPods).toBeGreaterThan(packing.unplacedPods);
    expect(result?.packing.unplacedPods).toBeLessThanOrEqual(maxUnplacedPods);
    expect(result?.packing.hourlyUsd).toBe(packing.hourlyUsd);
  });

  it('returns the packing itself if it may leave no further pod unplaced', () => {
    const { unplacedPods: maxUnplacedPods } = packing;

    expect(leaveDisplacedPods({ ...context, maxUnplacedPods }, packing)?.packing).toBe(packing);
  });
});
