import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Taint, TaintEffect } from '../../../shared/model/requirements/taints.ts';
import { aNode } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPoolRequiring,
  createPods,
  fakeType,
  HOSTNAME,
  need,
  requesting,
  requiringNode,
  spreadOver,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import {
  countPodsPerDomain,
  findNodeOfPod,
  isPlanned,
  type ProvisionOutcome,
  provision,
  toBoundPod,
} from '../support/provision.ts';

/** One node of the small type, with room for a pod or two. */
const warm = provision(aCluster(), tiny('first', { requests: requesting(0.01) })).after;
const only = ({ nodes }: ClusterSnapshot): Node => {
  const [node] = nodes;
  if (!node) throw new Error('there is no node');
  return node;
};
const isReused = (outcome: ProvisionOutcome, pod = 'a'): boolean =>
  outcome.launched.length === 0 && findNodeOfPod(outcome, pod) !== undefined;

/** The same cluster with changes to the node and claim. */
const edited = (
  { node = {}, claim = {} }: { node?: Partial<Node>; claim?: Partial<NodeClaim> },
  cluster: ClusterSnapshot = warm,
): ClusterSnapshot => ({
  ...cluster,
  nodes: cluster.nodes.map((one) => ({ ...one, ...node })),
  claims: cluster.claims.map((one) => ({ ...one, ...claim })),
});

/** The node exists, but its claim has not reached this state. */
function uninitialized(cluster: ClusterSnapshot, registered = true): ClusterSnapshot {
  return {
    ...cluster,
    claims: cluster.claims.map(({ initializedAt: _, registeredAt, ...claim }) =>
      registered && registeredAt !== undefined ? { ...claim, registeredAt } : claim,
    ),
  };
}

/** Launched, but no Node object exists; the pods of the claim are waiting. */
function inFlight(cluster: ClusterSnapshot): ClusterSnapshot {
  return {
    ...uninitialized(cluster, false),
    nodes: [],
    pods: cluster.pods.map(({ nodeName: _, startedAt: __, ...pod }) => ({
      ...pod,
      phase: 'Pending',
      unschedulableSince: pod.createdAt,
    })),
  };
}

const taint = (key: string, effect: TaintEffect = 'NoSchedule'): Taint => ({ key, effect });

describe('an existing node', () => {
  it('takes a pod that fits', () => {
    expect(isReused(provision(warm, tiny('a', { requests: requesting(0.01) })))).toBe(true);
  });

  const inZ2 = provision(aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', Z2))] }), tiny('first')).after;
  it.each([
    ['is reused for pods that may be in its zone', [Z1, Z2], true],
    ['is not reused for pods that may not', [Z1, Z3], false],
  ])('%s', (_, zones, reused) => {
    const cluster = { ...inZ2, pools: aCluster().pools };

    expect(isReused(provision(cluster, tiny('a', requiringNode(need(ZONE, 'In', ...zones)))))).toBe(reused);
  });

  it('takes no pod if it is too full', () => {
    const before = provision(aCluster(), tiny('first', { requests: requesting(1.001) })).after;

    expect(provision(before, tiny('a', { requests: requesting(1) })).launched).toHaveLength(1);
  });

  it('takes no pod that needs another architecture', () => {
    const before = provision(aCluster(), tiny('first', { nodeSelector: { [ARCH]: 'amd64' } })).after;
    const outcome = provision(before, tiny('a', { nodeSelector: { [ARCH]: 'arm64' } }));

    expect(outcome.launched).toHaveLength(1);
  });

  it('takes no pod once it is being removed', () => {
    const cluster = edited({ claim: { deletingAt: 1 } }, { ...warm, pods: [] });

    expect(provision(cluster, tiny('a')).launched).toHaveLength(1);
  });
});

describe('nodes that are not ready yet', () => {
  it('count the pods of their claims', () => {
    const spec = { topologySpread: [spreadOver(ZONE)], requests: requesting(0.1) };
    const first = provision(aCluster(), ...createPods(4, 'a', spec));
    const second = provision(inFlight(first.after), ...createPods(5, 'b', spec));

    expect(countPodsPerDomain(first)).toEqual([1, 1, 2]);
    expect(second.launched).toEqual([]);
    expect(second.pending).toEqual([]);
  });

  it('are separate hosts', () => {
    const spec = { topologySpread: [spreadOver(HOSTNAME)] };
    const first = provision(aCluster(), ...createPods(4, 'a', spec));
    const second = provision(inFlight(first.after), ...createPods(5, 'b', spec));

    expect(second.plan.placements.map(({ pods }) => pods.length)).toEqual([1, 1, 1, 1]);
    expect(second.launched).toHaveLength(5);
  });

  it('take pods before they are registered', () => {
    const cluster = uninitialized(edited({ node: { taints: [] } }), false);

    expect(isReused(provision(cluster, tiny('a')))).toBe(true);
  });

  it("have the claim's resources while the kubelet reports 0, until they are initialized", () => {
    const device = 'example.com/device';
    const types = [fakeType('with-device', { cpus: 4, gib: 4, extra: { [device]: 2 } })];
    const before = provision(aCluster({ types }), tiny('first', { requests: requesting(1, 1, { [device]: 1 }) })).after;
    const { allocatable } = only(before);
    const cluster = edited({ node: { allocatable: { ...allocatable, [device]: 0 } } }, before);
    const wanting = tiny('a', { requests: requesting(1, 1, { [device]: 1 }) });

    expect(isReused(provision(uninitialized(cluster), wanting))).toBe(true);
    expect(provision(cluster, wanting).launched).toHaveLength(1);
  });

  it('have the labels and taints of the claim until there is a Node', () => {
    const cluster = inFlight(edited({ claim: { taints: [taint('dedicated')], startupTaints: [taint('starting')] } }));
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }];
    const target = cluster.claims[0]?.name;
    const spec = { nodeSelector: { 'karpenter.sh/nodepool': 'default' } };

    expect(provision({ ...cluster, pods: [] }, tiny('a')).launched).toHaveLength(1);
    expect(provision({ ...cluster, pods: [] }, tiny('a', { ...spec, tolerations })).plan.placements).toEqual([
      { target, pods: ['default/a'] },
    ]);
  });

  it('keep their planned pods, which get no second node', () => {
    const first = provision(aCluster(), ...createPods(12, 'a', { requests: requesting(0.5) }));
    const second = provision(inFlight(first.after));

    expect(second.launched).toEqual([]);
    expect(second.pending).toEqual([]);
  });

  it('count as their smallest possible type until the claim is launched', () => {
    const first = provision(aCluster(), ...createPods(4, 'a', { requests: requesting(0.4) }));
    const waiting = inFlight(first.after);
    const cluster = {
      ...waiting,
      claims: waiting.claims.map(({ launch: _, ...claim }) => claim),
    };

    expect(provision(cluster).launched).toEqual([]);
  });
});

describe('taints of a node that is starting', () => {
  it.each([
    ['node.kubernetes.io/not-ready', 'NoSchedule'],
    ['node.kubernetes.io/not-ready', 'NoExecute'],
    ['node.kubernetes.io/unreachable', 'NoSchedule'],
    ['node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule'],
    ['karpenter.sh/unregistered', 'NoExecute'],
    ['readiness.k8s.io/network', 'NoSchedule'],
  ] as const)('%s:%s count once it is initialized', (key, effect) => {
    const cluster = edited({ node: { taints: [taint(key, effect)] } });

    expect(isReused(provision(uninitialized(cluster), tiny('a')))).toBe(true);
    expect(isReused(provision(cluster, tiny('a')))).toBe(false);
  });

  it("count if they are not Karpenter's or Kubernetes' own", () => {
    const cluster = edited({ node: { taints: [taint('foo.com/taint')] } });

    expect(isReused(provision(cluster, tiny('a')))).toBe(false);
    expect(isReused(provision(uninitialized(cluster), tiny('a')))).toBe(false);
  });

  it('count for startup taints once the node is initialized', () => {
    const starting = taint('starting');
    const cluster = edited({ node: { taints: [starting] }, claim: { startupTaints: [starting] } });

    expect(isReused(provision(uninitialized(cluster), tiny('a')))).toBe(true);
    expect(isReused(provision(cluster, tiny('a')))).toBe(false);
  });
});

describe('among existing nodes', () => {
  it('initialized nodes come first', () => {
    const many = provision(aCluster(), ...createPods(20, 'old', { topologySpread: [spreadOver(HOSTNAME)] })).after;
    const ready = many.claims[13]?.name;
    const cluster = {
      ...many,
      claims: many.claims.map(({ initializedAt, ...claim }) =>
        claim.name === ready && initializedAt !== undefined ? { ...claim, initializedAt } : claim,
      ),
    };

    expect(findNodeOfPod(provision(cluster, tiny('a')), 'a')?.name).toBe(ready);
  });

  it('pods with one host port go to two nodes', () => {
    const spec = { hostPorts: [{ port: 8080, protocol: 'TCP', ip: '' }] };
    const first = provision(aCluster(), tiny('a', spec));

    expect(provision(first.after, tiny('b', spec)).launched).toHaveLength(1);
    expect(provision(aCluster(), ...createPods(2, 'c', spec)).launched).toHaveLength(2);
  });

  it('other protocols and addresses of the same port do not conflict', () => {
    const spec = (protocol: string, ip: string) => ({ hostPorts: [{ port: 80, protocol, ip }] });
    const outcome = provision(
      aCluster(),
      tiny('a', spec('TCP', '10.0.0.1')),
      tiny('b', spec('TCP', '10.0.0.2')),
      tiny('c', spec('UDP', '')),
    );

    expect(outcome.launched).toHaveLength(1);
    expect(provision(outcome.after, tiny('d', spec('TCP', ''))).launched).toHaveLength(1);
  });

  it('at most one node is left with room for a pod, batch after batch', () => {
    let cluster = aCluster({ types: [fakeType('four', { cpus: 4.25, gib: 16, pods: 4 })] });
    for (const [batch, size] of [3, 1, 7, 2, 5, 10, 1, 4].entries()) {
      cluster = provision(cluster, ...createPods(size, `b${batch}`, { requests: requesting(1) })).after;
    }
    const counts = cluster.nodes.map(({ name }) => cluster.pods.filter(({ nodeName }) => nodeName === name).length);

    expect(counts.filter((count) => count < 4).length).toBeLessThanOrEqual(1);
  });

  it('unmanaged nodes are used', () => {
    const foreign = aNode({
      name: 'theirs',
      labels: {},
      allocatable: { cpu: 10_000, memory: 1e11, pods: 110 },
    });
    const cluster = aCluster({ nodes: [foreign] });

    expect(isPlanned(provision(cluster, tiny('a')), 'a', 'theirs')).toBe(true);
    expect(provision(cluster, ...createPods(100, 'a')).launched).toEqual([]);
  });

  it('a node without a zone label takes no pod that requires a zone', () => {
    const foreign = aNode({
      name: 'theirs',
      labels: {},
      allocatable: { cpu: 10_000, memory: 1e11, pods: 110 },
    });
    const pod = tiny('a', { nodeSelector: { [ZONE]: Z1 } });

    expect(provision(aCluster({ nodes: [foreign], pools: [] }), pod).pending).toEqual(['a']);
    expect(provision(aCluster({ nodes: [foreign] }), pod).launched).toHaveLength(1);
  });

  it('the fullest node with room comes first, so that others may empty', () => {
    const apart = { topologySpread: [spreadOver(HOSTNAME)] };
    const two = provision(aCluster(), ...createPods(2, 'old', apart)).after;
    const [first, second] = two.nodes;
    const cluster = {
      ...two,
      pods: [...two.pods, toBoundPod(tiny('big', { requests: requesting(0.8) }), second?.name ?? '')],
    };
    const outcome = provision(cluster, tiny('a', { requests: requesting(0.1) }));

    expect(findNodeOfPod(outcome, 'a')?.name).toBe(second?.name);
    expect(first?.name).not.toBe(second?.name);
  });
});
