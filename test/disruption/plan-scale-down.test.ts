import { describe, expect, it } from 'vitest';
import { planScaleDown } from '../../shared/disruption/plan-scale-down.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aCluster, aPool } from '../scheduling/support/fixture.ts';
import { carryOut } from '../scheduling/support/provision.ts';
import { aRunningPod } from '../support/builders.ts';

const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, StaticCapacity: true } };
const ofSize = (replicas: number) => aPool({ name: 'static', replicas });

function running(replicas: number): ClusterSnapshot {
  const cluster = aCluster({ pools: [ofSize(replicas)], settings });
  return carryOut(cluster, planProvisioning(cluster, `of-${replicas}`));
}

/** `count` pods on a claim's node. */
const podsOn = ({ name }: NodeClaim, count: number, over: Partial<Pod> = {}): Pod[] =>
  Array.from({ length: count }, (_, index) => aRunningPod(name, { name: `${name}-${index}`, ...over }));

describe('planScaleDown', () => {
  it('launches ten of 15 nodes with a limit of 10', () => {
    const pools = [aPool({ name: 'static', replicas: 15, limits: { nodes: 10 } })];
    expect(planProvisioning(aCluster({ pools, settings }), 'd').claims).toHaveLength(10);
  });

  it('removes empty nodes and then the lowest disruption cost, from 8 to 4 nodes', () => {
    const cluster = running(8);
    const kept = { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } };
    const loads = [
      podsOn(cluster.claims[0] ?? fail(), 4),
      podsOn(cluster.claims[1] ?? fail(), 1, kept),
      [],
      podsOn(cluster.claims[3] ?? fail(), 1),
      podsOn(cluster.claims[4] ?? fail(), 4),
      podsOn(cluster.claims[5] ?? fail(), 1, kept),
      [],
      podsOn(cluster.claims[7] ?? fail(), 1),
    ];
    const smaller = { ...cluster, pools: [ofSize(4)], pods: loads.flat() };

    const names = [2, 6, 3, 7].map((index) => cluster.claims[index]?.name);
    expect(new Set(planScaleDown(smaller))).toEqual(new Set(names));
  });

  it('removes two claims without an instance and then an empty node, of three', () => {
    const cluster = running(6);
    const [first, second, ...others] = cluster.claims;
    const starting = [first, second].flatMap((claim) => (claim ? [withoutInstance(claim)] : []));
    const names = new Set(starting.map(({ name }) => name));
    const smaller = {
      ...cluster,
      pools: [ofSize(3)],
      claims: [...starting, ...others],
      nodes: cluster.nodes.filter(({ name }) => !names.has(name)),
      pods: others.slice(1).flatMap((claim) => podsOn(claim, 1)),
    };
    const going = planScaleDown(smaller);

    expect(new Set(going.slice(0, 2))).toEqual(names);
    expect(going.slice(2)).toEqual([others[0]?.name]);
  });

  it('removes a node with do-not-disrupt last', () => {
    const cluster = running(2);
    const [kept, other] = cluster.nodes;
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };
    const smaller = {
      ...cluster,
      pools: [ofSize(1)],
      nodes: cluster.nodes.map((node) => (node === kept ? { ...node, annotations } : node)),
      pods: cluster.claims.filter(({ nodeName }) => nodeName === other?.name).flatMap((claim) => podsOn(claim, 1)),
    };
    const names = cluster.claims.filter(({ nodeName }) => nodeName === other?.name);

    expect(planScaleDown(smaller)).toEqual(names.map(({ name }) => name));
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('counts node %i as used, although its pod costs nothing to evict', (first, second) => {
    const cluster = running(2);
    const [used, empty] = [cluster.claims[first], cluster.claims[second]];
    const cheap = { annotations: { [POD_DELETION_COST_ANNOTATION]: '-2147483648' } };
    const pods = podsOn(used ?? fail(), 1, cheap);

    expect(planScaleDown({ ...cluster, pools: [ofSize(1)], pods })).toEqual([empty?.name]);
  });

  it('removes nothing while objects are unreadable: a node may be protected by a pod that is missing', () => {
    const unreadable = [{ kind: 'Pod', name: 'p', why: 'spec', forbids: ['remove'] } as const];

    expect(planScaleDown({ ...running(2), pools: [ofSize(1)], unreadable })).toEqual([]);
  });

  it('does not count a node under replacement, tainted or not', () => {
    const cluster = { ...running(3), pools: [ofSize(2)] };
    const busy = new Set(cluster.claims.slice(0, 1).map(({ name }) => name));
    expect(planScaleDown(cluster, busy)).toEqual([]);
  });
});

const withoutInstance = ({ launch: _, nodeName: __, ...claim }: NodeClaim): NodeClaim => claim;

function fail(): never {
  throw new Error('the cluster is too small');
}
