import { describe, expect, it } from 'vitest';
import { countEligibleNodes } from '../../shared/disruption/eligible-nodes.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../shared/model/labels.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import { aNode, aNodePool, anInitializedClaim, aRunningPod, aSnapshot, NOON } from '../support/builders.ts';

const drift = { reason: 'NodePoolDrifted', text: 'labels', since: NOON } as const;

/** Three nodes: the first is empty, the second has a pod, the third has drifted and has a pod. */
const aCluster = (pool: NodePool = aNodePool(), podAnnotations: Record<string, string> = {}) =>
  aSnapshot({
    pools: [pool],
    nodes: ['node-1', 'node-2', 'node-3'].map((name) => aNode({ name })),
    claims: [
      anInitializedClaim('node-1', { name: 'a' }),
      anInitializedClaim('node-2', { name: 'b' }),
      anInitializedClaim('node-3', { name: 'c', drift }),
    ],
    pods: [
      aRunningPod('node-2', { name: 'web-1', annotations: podAnnotations }),
      aRunningPod('node-3', { name: 'web-2', annotations: podAnnotations }),
    ],
  });

describe('countEligibleNodes', () => {
  it('counts nodes by the reason for which they could be disrupted', () => {
    expect(countEligibleNodes(aCluster(), [])).toEqual({
      Empty: 1,
      Drifted: 1,
      Underutilized: 2,
      Unhealthy: 0,
    });
  });

  it('ignores budgets', () => {
    const closed = { ...aNodePool().disruption, budgets: [{ nodes: '0' }] };

    expect(countEligibleNodes(aCluster(aNodePool({ disruption: closed })), [])).toEqual({
      Empty: 1,
      Drifted: 1,
      Underutilized: 2,
      Unhealthy: 0,
    });
  });

  it('counts only empty nodes of a pool that consolidates when empty', () => {
    const disruption = { ...aNodePool().disruption, policy: 'WhenEmpty' as const };

    expect(countEligibleNodes(aCluster(aNodePool({ disruption })), [])).toEqual({
      Empty: 1,
      Drifted: 1,
      Underutilized: 0,
      Unhealthy: 0,
    });
  });

  it('leaves out nodes whose pods must not be disrupted', () => {
    const kept = aCluster(aNodePool(), { [DO_NOT_DISRUPT_ANNOTATION]: 'true' });

    expect(countEligibleNodes(kept, [])).toEqual({
      Empty: 1,
      Drifted: 0,
      Underutilized: 0,
      Unhealthy: 0,
    });
  });

  it('leaves out nodes that a running command removes', () => {
    const command = {
      id: 'd1',
      reason: 'Empty',
      decidedAt: NOON,
      candidates: ['a', 'c'],
      replacements: [],
      placements: [],
      savingHourlyUsd: 0,
    } as const;

    expect(countEligibleNodes(aCluster(), [command])).toEqual({
      Empty: 0,
      Drifted: 0,
      Underutilized: 1,
      Unhealthy: 0,
    });
  });

  it('counts nothing while an object cannot be read', () => {
    const unreadable = [{ kind: 'PodDisruptionBudget', name: 'x', why: 'spec', forbids: ['remove'] as const }];

    expect(countEligibleNodes({ ...aCluster(), unreadable }, [])).toEqual({
      Empty: 0,
      Drifted: 0,
      Underutilized: 0,
      Unhealthy: 0,
    });
  });
});
