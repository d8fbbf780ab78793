import { describe, expect, it } from 'vitest';
import { aCluster, affinityTo, aPool, aPoolRequiring, createPods, need, spreadOver, tiny } from '../support/fixture.ts';
import { findNodeOfPod, listReasonCodes, provision } from '../support/provision.ts';

const RACK = 'example.com/rack';
const APART = { podAntiAffinity: [affinityTo('web', RACK)] };
const racks = { ...aPoolRequiring(need(RACK, 'In', 'r1', 'r2')), name: 'racks' };

describe('anti-affinity on a key that only some nodes have', () => {
  it('allows nodes without the key once all domains are taken', () => {
    const outcome = provision(aCluster({ pools: [aPool(), racks] }), ...createPods(4, 'web', APART));
    const rackOf = (pod: string) => findNodeOfPod(outcome, pod)?.labels[RACK];

    expect(outcome.pending).toEqual([]);
    expect(['web-1', 'web-2', 'web-3', 'web-4'].map(rackOf).toSorted()).toEqual(['r1', 'r2', undefined, undefined]);
  });

  it('allows them for pods that the anti-affinity of others keeps away', () => {
    const { pending } = provision(
      aCluster({ pools: [aPool(), racks] }),
      ...createPods(2, 'a', { podAntiAffinity: [affinityTo('web', RACK), affinityTo('a', RACK)] }),
      tiny('web'),
    );

    expect(pending).toEqual([]);
  });

  it('keeps the pod pending if every NodePool has the key', () => {
    const outcome = provision(aCluster({ pools: [racks] }), ...createPods(3, 'web', APART));

    expect(outcome.pending).toHaveLength(1);
    expect(listReasonCodes(outcome)).toEqual(['pod-anti-affinity']);
  });

  it('keeps the pod pending if it requires the key itself', () => {
    const onRacks = { ...APART, requiredNodeTerms: [[need(RACK, 'Exists')]] };
    const { pending } = provision(aCluster({ pools: [aPool(), racks] }), ...createPods(3, 'web', onRacks));

    expect(pending).toHaveLength(1);
  });

  it('keeps the pod pending if it also spreads over the key', () => {
    const { pending } = provision(
      aCluster({ pools: [aPool(), racks] }),
      ...createPods(3, 'web', { ...APART, topologySpread: [spreadOver(RACK)] }),
    );

    expect(pending).toHaveLength(1);
  });
});
