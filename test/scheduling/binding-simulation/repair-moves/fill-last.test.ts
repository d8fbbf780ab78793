import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../../shared/model/cluster-snapshot.ts';
import type { PodSpec } from '../../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../../../shared/model/settings.ts';
import {
  bindsCompletely,
  type EvaluatedPacking,
} from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { simulatedAnnealing } from '../../../../shared/scheduling/binding-simulation/search/simulated-annealing.ts';
import { aCluster, createPods, createStepTypes, requesting, Z1, ZONE } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

/** Two nodes hold all pods, but small pods may take the room of a large one. */
const clusterWith = (small: Partial<PodSpec> = {}): ClusterSnapshot =>
  aCluster({
    types: createStepTypes(16),
    pods: [
      ...createPods(6, 'small', { requests: requesting(1, 1), ...small }),
      ...createPods(3, 'large', { requests: requesting(4, 4) }),
    ],
  });

/** Searches for a packing that binds and costs no more than the given one. */
function searchAtSamePrice(cluster: ClusterSnapshot): EvaluatedPacking {
  const { context, evaluated, podGroups } = packAndEvaluate(cluster);
  expect(bindsCompletely(evaluated)).toBe(false);
  const limited = { ...context, maxHourlyUsd: evaluated.packing.hourlyUsd };
  return simulatedAnnealing(limited, evaluated, podGroups, 1);
}

const listFillLast = ({ packing }: EvaluatedPacking): boolean[] =>
  packing.packingState.newNodes.map(({ fillsLast }) => fillsLast);

describe('nodes that fill last', () => {
  it('let all pods bind at the price of a packing that displaces pods', () => {
    const result = searchAtSamePrice(clusterWith());

    expect(result).toSatisfy(bindsCompletely);
    expect(listFillLast(result)).toEqual([false, true]);
  });

  it('are not used while pods prefer nodes themselves', () => {
    const term = [{ key: ZONE, operator: 'In', values: [Z1] }] as const;
    const preferring = { preferredNodeTerms: [{ weight: 1, term }] };
    const result = searchAtSamePrice(clusterWith(preferring));

    expect(listFillLast(result)).not.toContain(true);
  });

  it('are not used if pods are not steered', () => {
    const settings = { ...DEFAULT_SETTINGS, steerPods: false };
    const result = searchAtSamePrice({ ...clusterWith(), settings });

    expect(listFillLast(result)).not.toContain(true);
  });
});
