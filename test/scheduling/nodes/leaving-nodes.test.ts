import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aFleet, web } from '../../disruption/fleet.ts';
import { aPodDisruptionBudget, aSelector, NOON, ZONES } from '../../support/builders.ts';
import { aCluster, createPods, requesting, tiny } from '../support/fixture.ts';
import { findNodeOfPod, provision } from '../support/provision.ts';

/** A small node that is being removed, with one pod on it. */
function leaving(pod: Partial<Pod> = {}, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const { after } = provision(aCluster(), tiny('old', { requests: { memory: 1e8, pods: 1 } }));
  return {
    ...after,
    claims: after.claims.map((claim) => ({ ...claim, deletingAt: NOON })),
    pods: after.pods.map((one) => ({ ...one, ...pod })),
    ...over,
  };
}

const owner = (kind: string) => ({ kind, name: 'owner', uid: 'owner' });
const budget = (over: Partial<PodDisruptionBudget>) => {
  const { maxUnavailable: _, ...rest } = aPodDisruptionBudget();
  return { ...rest, ...over };
};

describe('pods of a node that is being removed', () => {
  it('get another node', () => {
    const outcome = provision(leaving());

    expect(outcome.launched).toHaveLength(1);
    expect(findNodeOfPod(outcome, 'old')?.name).toBe(outcome.launched[0]?.name);
  });

  it('get another node also if the node is only tainted', () => {
    const { after } = provision(aCluster(), tiny('old'));
    const cluster = {
      ...after,
      nodes: after.nodes.map((node) => ({ ...node, taints: [DISRUPTED_TAINT] })),
    };

    expect(provision(cluster).launched).toHaveLength(1);
  });

  it.each<[string, Partial<Pod>, number]>([
    ['get no node if they are terminating', { deletionAt: NOON }, 0],
    ['get no node if they are terminating pods of a ReplicaSet', { deletionAt: NOON, owner: owner('ReplicaSet') }, 0],
    ['get a node if they are terminating pods of a StatefulSet', { deletionAt: NOON, owner: owner('StatefulSet') }, 1],
    ['get no node if they belong to a DaemonSet', { owner: owner('DaemonSet') }, 0],
    ['get no node if they are static', { owner: owner('Node') }, 0],
    ['get no node if they are finished', { phase: 'Succeeded' }, 0],
    ['get no node if they are protected from disruption', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } }, 0],
    [
      'get no node while their protection lasts',
      { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: '10m' }, startedAt: NOON - 300_000 },
      0,
    ],
    [
      'get a node once their protection has ended',
      { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: '1m' }, startedAt: NOON - 300_000 },
      1,
    ],
  ])('%s', (_, pod, launched) => {
    expect(provision(leaving(pod)).launched).toHaveLength(launched);
  });

  it.each<[string, readonly PodDisruptionBudget[]]>([
    ['none may be unavailable', [budget({ maxUnavailable: '0' })]],
    ['0 % may be unavailable', [budget({ maxUnavailable: '0%' })]],
    ['100 % must be available', [budget({ minAvailable: '100%' })]],
    ['two budgets select the pod', [budget({ name: 'a' }), budget({ name: 'b' })]],
  ])('get no node where %s', (_, podDisruptionBudgets) => {
    expect(provision(leaving({}, { podDisruptionBudgets })).launched).toEqual([]);
  });

  it('share a new node with pending pods', () => {
    const { after } = provision(aCluster(), ...createPods(3, 'old', { requests: requesting(0.2) }));
    const cluster = {
      ...after,
      claims: after.claims.map((claim) => ({ ...claim, deletingAt: NOON })),
    };
    const outcome = provision(cluster, ...createPods(2, 'new', { requests: requesting(0.2) }));

    expect(outcome.launched).toHaveLength(1);
    expect(outcome.plan.claims[0]?.pods).toHaveLength(5);
    expect(outcome.plan.placements).toEqual([]);
  });

  it('take the room of the replacements that were launched for them', () => {
    const owned = (name: string, cpu: number): Pod => ({
      ...web(name, cpu),
      owner: { kind: 'ReplicaSet', name: `of-${cpu}`, uid: `of-${cpu}` },
    });
    const taints = [DISRUPTED_TAINT];
    const plan = planProvisioning(
      aFleet([
        { name: 'old-1', type: 'medium', pods: [owned('a', 2), owned('b', 2)], node: { taints } },
        { name: 'old-2', type: 'medium', pods: [owned('c', 3), owned('d', 1)], node: { taints } },
        { name: 'new-2', type: 'medium', claim: { expects: { 'of-3': 1, 'of-1': 1 } } },
        { name: 'new-1', type: 'medium', claim: { expects: { 'of-2': 2 } } },
      ]),
      'decision-1',
    );

    expect(plan.claims).toEqual([]);
    expect(plan.placements).toEqual([
      { target: 'new-1', pods: ['default/a', 'default/b'] },
      { target: 'new-2', pods: ['default/c', 'default/d'] },
    ]);
  });

  it('take the room of nodes that have not drifted first, whatever zone they prefer', () => {
    const spread = {
      key: ZONE_LABEL,
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
      selector: aSelector(),
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    } as const;
    const pods = ['a', 'b', 'c'].map((name) => ({
      ...web(name, 1, { topologySpread: [spread] }),
      labels: { app: 'web' },
    }));
    const drift = { reason: 'NodePoolDrifted', text: 'changed', since: NOON } as const;
    const plan = planProvisioning(
      aFleet([
        { name: 'old', type: 'medium', pods, node: { taints: [DISRUPTED_TAINT] } },
        { name: 'older', type: 'medium', zone: ZONES[1], claim: { drift } },
        { name: 'replacement', type: 'medium' },
      ]),
      'decision-1',
    );

    expect(plan.claims).toEqual([]);
    expect(plan.placements).toEqual([{ target: 'replacement', pods: ['default/a', 'default/b', 'default/c'] }]);
  });
});
