import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { aSelector } from '../../support/builders.ts';
import {
  aCluster,
  affinityTo,
  aPoolRequiring,
  DEFAULT_TYPES,
  HOSTNAME,
  need,
  offering,
  requesting,
  spreadOver,
  TYPE,
  tiny,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { findNodeOfPod, provision } from '../support/provision.ts';

const SHARED = { tier: 'shared' };
const toShared = { ...affinityTo('', HOSTNAME), selector: aSelector(SHARED) };

/** One node in the first zone with room for more pods. */
const withRoom = (cpus: number) =>
  provision(
    aCluster({
      types: DEFAULT_TYPES,
      priced: DEFAULT_TYPES.map((type) => offering(type, 'on-demand', Z1, 1)),
      pools: [aPoolRequiring(need(TYPE, 'In', 'default'))],
    }),
    tiny('first', { requests: requesting(cpus) }, { app: 'first' }),
  ).after;

const asks = (cpus: number, gib: number, over: Partial<PodSpec>): Partial<PodSpec> => ({
  requests: requesting(cpus, gib),
  ...over,
});

describe('pods with affinity to others', () => {
  it('are placed after them, even if they are smaller and the others could start the group themselves', () => {
    const outcome = provision(
      withRoom(1),
      tiny('follower', asks(0.1, 1, { podAffinity: [toShared] }), { app: 'x' }),
      tiny('founder', asks(0.1, 0.25, { podAffinity: [toShared] }), SHARED),
    );

    expect(outcome.pending).toEqual([]);
    expect(findNodeOfPod(outcome, 'follower')).toBe(findNodeOfPod(outcome, 'founder'));
  });

  it('join them on a node that is not launched yet', () => {
    const outcome = provision(
      withRoom(3.5),
      tiny('small', asks(0.1, 0.1, { podAffinity: [toShared] }), SHARED),
      tiny(
        'large',
        asks(1.5, 0.1, {
          topologySpread: [spreadOver(ZONE, { selector: aSelector(SHARED) })],
        }),
        SHARED,
      ),
    );

    expect(outcome.pending).toEqual([]);
    expect(findNodeOfPod(outcome, 'small')).toBe(findNodeOfPod(outcome, 'large'));
  });

  it('do not wait forever in a cycle', () => {
    const outcome = provision(
      aCluster(),
      tiny('a', { podAffinity: [affinityTo('b', HOSTNAME)] }, { app: 'a' }),
      tiny('b', { podAffinity: [affinityTo('a', HOSTNAME)] }, { app: 'b' }),
    );

    expect(outcome.pending.toSorted()).toEqual(['a', 'b']);
  });
});
