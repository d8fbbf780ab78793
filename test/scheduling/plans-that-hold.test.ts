import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { checkPlan } from '../vectors/check-plan.ts';
import { replayOffline } from '../vectors/replay/replay-offline.ts';
import { aCluster, createPods, createStepTypes, requesting } from './support/fixture.ts';

const types = createStepTypes(64);
const small = createPods(20, 'small', { requests: requesting(0.5, 1) });
const large = createPods(3, 'large', { requests: requesting(6, 3) });
const rich = createPods(4, 'rich', { requests: requesting(1, 9) });

describe('a plan', () => {
  it.each([
    ['small and large pods', [...small, ...large]],
    ['pods rich in memory among others', [...small, ...rich]],
    ['three shapes', [...small, ...large, ...rich]],
  ])('of %s can be bound in any order', (_, pods) => {
    const cluster = aCluster({ types, pods });
    const plan = planProvisioning(cluster, 'decision-1');

    const { unbound } = replayOffline('any', cluster, plan);

    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
    expect(checkPlan(cluster, plan)).toEqual([]);
  });

  it('has fewer nodes if each node has a higher fixed cost', () => {
    const nodesAt = (perNodeHourlyUsd: number): number => {
      const settings = { ...DEFAULT_SETTINGS, perNodeHourlyUsd };
      const cluster = aCluster({ types: createStepTypes(16), pods: [...small, ...rich], settings });
      return planProvisioning(cluster, 'decision-1').claims.length;
    };

    expect(nodesAt(20)).toBeLessThanOrEqual(nodesAt(0));
  });
});
