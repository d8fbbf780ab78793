import { describe, expect, it } from 'vitest';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { aNode, DEFAULT_CLASS } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  aPoolRequiring,
  CAPACITY,
  createPods,
  fakeType,
  need,
  requesting,
  TYPE,
  tiny,
  ZONE,
} from '../support/fixture.ts';
import { isPlanned, listReasonCodes, provision } from '../support/provision.ts';

const pools = (...list: NodePool[]) => aCluster({ pools: list });
const poolOfPod = (cluster: ReturnType<typeof pools>, ...pods: Parameters<typeof tiny>) =>
  provision(cluster, tiny(...pods)).plan.claims.map(({ claim }) => claim.pool);

describe('the NodePool of a pod', () => {
  it('is the one that the pod names, whatever the weights', () => {
    const cluster = pools(aPool({ name: 'a' }), aPool({ name: 'b', weight: 100 }));

    expect(poolOfPod(cluster, 'p', { nodeSelector: { 'karpenter.sh/nodepool': 'a' } })).toEqual(['a']);
  });

  it('is the one whose labels it selects', () => {
    const cluster = pools(
      aPool({ name: 'a', labels: { team: 'red' } }),
      aPool({ name: 'b', labels: { team: 'blue' } }),
    );

    expect(poolOfPod(cluster, 'p', { nodeSelector: { team: 'red' } })).toEqual(['a']);
  });

  it('is the heaviest', () => {
    const cluster = pools(
      aPool({ name: 'none' }),
      aPool({ name: 'twenty', weight: 20 }),
      aPool({ name: 'hundred', weight: 100 }),
    );
    const { plan } = provision(cluster, ...createPods(3, 'a'));

    expect(plan.claims.map(({ claim }) => claim.pool)).toEqual(['hundred']);
  });

  it('is the heaviest even if a lighter one is cheaper', () => {
    const cluster = pools(
      { ...aPoolRequiring(need(TYPE, 'In', 'default')), name: 'dear', weight: 1 },
      { ...aPoolRequiring(need(TYPE, 'In', 'small')), name: 'cheap' },
    );

    expect(poolOfPod(cluster, 'p')).toEqual(['dear']);
  });

  it('is the last by name among equal weights', () => {
    expect(poolOfPod(pools(aPool({ name: 'np-1' }), aPool({ name: 'np-2' })), 'p')).toEqual(['np-2']);
  });

  it('is a lighter one if the heavier cannot take the pod', () => {
    const cluster = pools(
      { ...aPoolRequiring(need(ARCH, 'In', 'arm64')), name: 'arm', weight: 100 },
      aPool({ name: 'any' }),
    );

    expect(poolOfPod(cluster, 'p', { nodeSelector: { [ARCH]: 'amd64' } })).toEqual(['any']);
  });
});

describe('unusable NodePools', () => {
  it.each<[string, NodePool, string]>([
    [
      'contradictory requirements',
      aPoolRequiring(need(ARCH, 'In', 'amd64'), need(ARCH, 'NotIn', 'amd64')),
      'pool-has-no-types',
    ],
    ['a zone that does not exist', aPoolRequiring(need(ZONE, 'In', 'none')), 'pool-has-no-types'],
    ['no type left', aPoolRequiring(need(TYPE, 'In', 'none')), 'pool-has-no-types'],
    [
      'not Ready',
      aPool({ ready: false, notReady: { condition: 'NodeClassReady', message: 'not found' } }),
      'pool-not-ready',
    ],
  ])('leave pods pending: %s', (_, pool, reason) => {
    const outcome = provision(pools(pool), tiny('a'));

    expect(outcome.pending).toEqual(['a']);
    expect(listReasonCodes(outcome)).toEqual([reason]);
  });

  it.each<[string, NodePool]>([
    ['is being deleted', aPool({ deleting: true })],
    ['is static', aPool({ replicas: 2 })],
  ])('include a NodePool that %s', (_, pool) => {
    expect(provision(pools(pool), tiny('a')).pending).toEqual(['a']);
    expect(provision(pools(pool, aPool({ name: 'other' })), tiny('a')).pending).toEqual([]);
  });

  it('do not keep running nodes from being used', () => {
    const node = aNode({ labels: {}, allocatable: { cpu: 4000, memory: 1e10, pods: 10 } });
    const cluster = aCluster({ pools: [aPoolRequiring(need(TYPE, 'In', 'none'))], nodes: [node] });

    expect(isPlanned(provision(cluster, tiny('a')), 'a', 'node-1')).toBe(true);
  });
});

describe('a claim', () => {
  it('lists its requirements and every possible type', () => {
    const cluster = aCluster({
      pools: [
        {
          ...aPoolRequiring(need(CAPACITY, 'In', 'on-demand', 'spot')),
          annotations: { note: 'kept' },
          labels: { team: 'red' },
          expireAfterMs: 1000,
          terminationGracePeriodMs: 60_000,
        },
      ],
    });
    const { plan } = provision(
      cluster,
      tiny('a', {
        requests: requesting(1, 1),
        nodeSelector: { [ARCH]: 'amd64', [CAPACITY]: 'spot' },
      }),
    );
    const claim = plan.claims[0]?.claim;

    expect(claim).toMatchObject({
      pool: 'default',
      poolHash: 'hash-default',
      nodeClass: DEFAULT_CLASS,
      labels: { team: 'red', 'karpenter.sh/nodepool': 'default' },
      annotations: { note: 'kept', 'karpenter.sh/nodepool-hash': 'hash-default' },
      expireAfterMs: 1000,
      terminationGracePeriodMs: 60_000,
      requests: requesting(1, 1),
      instanceTypes: ['small', 'default', 'single-pod', 'gpu-a', 'gpu-b'],
    });
    expect(claim?.name).toMatch(/^default-[b-z2-9]{5}$/);
    expect(claim?.requirements).toContainEqual(need(CAPACITY, 'In', 'spot'));
    expect(claim?.requirements).toContainEqual(need(TYPE, 'In', ...(claim?.instanceTypes ?? [])));
  });

  it('lists the 600 cheapest types', () => {
    const types = Array.from({ length: 700 }, (_, index) =>
      fakeType(`t-${`${index}`.padStart(3, '0')}`, { cpus: 4 + index, gib: 8 }),
    );
    const { plan } = provision(aCluster({ types }), tiny('a', { requests: requesting(1) }));

    expect(plan.claims[0]?.claim.instanceTypes).toEqual(types.slice(0, 600).map(({ name }) => name));
  });

  it('has a name that depends only on the decision', () => {
    const [first, second] = [provision(aCluster(), tiny('a')), provision(aCluster(), tiny('a'), tiny('b'))];

    expect(first.plan.claims[0]?.claim.name).not.toBe(second.plan.claims[0]?.claim.name);
  });
});
