import { describe, expect, it } from 'vitest';
import { assessBatch, computeBatch } from '../../../shared/controllers/provisioning/observe-batch.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodOwner } from '../../../shared/model/pods/workload.ts';
import type { BatchWindow } from '../../../shared/model/settings.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aPod, aPodSpec, aSnapshot, NOON } from '../../support/builders.ts';

const DEFAULT: BatchWindow = { idleMs: SECOND_MS, maxMs: 10 * SECOND_MS };
const UNHURRIED: BatchWindow = { idleMs: 5 * SECOND_MS, maxMs: 10 * SECOND_MS };

/** Pods that became pending this many seconds after noon. */
const pendingAt = (...seconds: readonly number[]) =>
  seconds.map((at) => aPod({ name: `web-${at}`, unschedulableSince: NOON + at * SECOND_MS }));
const secondsIn = (seconds: number) => NOON + seconds * SECOND_MS;
const everyTwoSeconds = pendingAt(...Array.from({ length: 30 }, (_, index) => 2 * index));

describe('the pod batch', () => {
  it('closes when no pod followed within the idle time', () => {
    const pods = pendingAt(0);

    expect(computeBatch(pods, secondsIn(0.999), DEFAULT)).toEqual({
      due: false,
      closesAt: secondsIn(1),
    });
    expect(computeBatch(pods, secondsIn(1), DEFAULT)).toEqual({ due: true });
  });

  it('is not kept open by a repeated event of a pod', () => {
    // A repeated event does not change since when the pod is unschedulable.
    const pods = pendingAt(0);

    expect(computeBatch(pods, secondsIn(3), UNHURRIED)).toEqual({
      due: false,
      closesAt: secondsIn(5),
    });
    expect(computeBatch(pods, secondsIn(5), UNHURRIED)).toEqual({ due: true });
  });

  it('is kept open by another pod', () => {
    const pods = pendingAt(0, 3);

    expect(computeBatch(pods, secondsIn(6), UNHURRIED)).toEqual({
      due: false,
      closesAt: secondsIn(8),
    });
    expect(computeBatch(pods, secondsIn(9), UNHURRIED)).toEqual({ due: true });
  });

  it('is cut off at the maximum time', () => {
    const upTo = (seconds: number) =>
      everyTwoSeconds.filter(({ unschedulableSince = 0 }) => unschedulableSince <= secondsIn(seconds));

    expect(computeBatch(upTo(9), secondsIn(9), UNHURRIED)).toEqual({
      due: false,
      closesAt: secondsIn(10),
    });
    expect(computeBatch(upTo(10), secondsIn(10), UNHURRIED)).toEqual({
      due: true,
      closesAt: secondsIn(15),
    });
    expect(computeBatch(upTo(16), secondsIn(16), UNHURRIED)).toEqual({
      due: false,
      closesAt: secondsIn(20),
    });
    expect(computeBatch(upTo(20), secondsIn(20), UNHURRIED)).toEqual({
      due: true,
      closesAt: secondsIn(25),
    });
  });

  it('does not close earlier for new pods because older pods wait for their node', () => {
    const pods = pendingAt(0, 1, 30);

    expect(computeBatch(pods, secondsIn(30), DEFAULT)).toEqual({
      due: false,
      closesAt: secondsIn(31),
    });
  });

  it('does not depend on the order of the pods', () => {
    const pods = pendingAt(3, 0, 2, 1);

    expect(computeBatch(pods, secondsIn(3), DEFAULT)).toEqual(computeBatch(pods.toReversed(), secondsIn(3), DEFAULT));
  });

  it('is due without pods', () => {
    expect(computeBatch([], NOON, DEFAULT)).toEqual({ due: true });
  });
});

const WEB = { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' };
const owned = (name: string, over: Partial<Pod> = {}) => aPod({ name, owner: WEB, ...over });
const anOwner = (wants: number, over: Partial<PodOwner> = {}): PodOwner => ({
  kind: 'ReplicaSet',
  namespace: 'default',
  name: 'web',
  uid: 'rs-web',
  desiredPods: wants,
  creates: 'at-once',
  isFailing: false,
  ...over,
});
const ONE_BY_ONE: Partial<PodOwner> = { kind: 'StatefulSet', creates: 'one-by-one' };
const young = (over: Partial<Pod> = {}): Pod => {
  const { unschedulableSince: _, ...pod } = aPod({ name: 'young', ...over });
  return pod;
};

/** The assessment a tenth of a second after noon. */
const outlook = (
  pods: readonly Pod[],
  owners: readonly PodOwner[] = [],
  settings: { readonly anticipate?: boolean } = {},
) =>
  assessBatch(
    aSnapshot({ takenAt: NOON + 100, pods, owners }),
    { window: DEFAULT, anticipate: true, ...settings },
    NOON + 50,
  );

describe('a batch that no pod joins any more', () => {
  it.each<readonly [string, boolean, readonly Pod[], readonly PodOwner[]]>([
    ['without an owner', true, [aPod()], []],
    ['whose owner has all of its pods', true, [owned('a'), owned('b')], [anOwner(2)]],
    ['whose owner is still creating pods that are anticipated', true, [owned('a')], [anOwner(3)]],
    ['whose owner fails to create pods', false, [owned('a')], [anOwner(3, { isFailing: true })]],
    ['whose owner creates them one by one', true, [owned('a')], [anOwner(3, ONE_BY_ONE)]],
    ['whose owner is unknown', false, [owned('a')], []],
    ['of which one has an unknown owner', false, [aPod(), owned('a')], []],
  ])('is due or stays open, depending on the owners: pods %s', (_, due, pods, owners) => {
    expect(outlook(pods, owners).due).toBe(due);
  });

  it('waits for pods of its owner if plans do not anticipate them', () => {
    expect(outlook([owned('a')], [anOwner(3)], { anticipate: false }).due).toBe(false);
    expect(outlook([owned('a')], [anOwner(1)], { anticipate: false }).due).toBe(true);
  });

  it('waits its full time if the owner cannot create its pods', () => {
    const { closesAt } = outlook([owned('a')], [anOwner(3, { isFailing: true })]);

    expect(closesAt).toBe(secondsIn(1));
  });
});

describe('a pod that kube-scheduler has not reported on', () => {
  it.each<readonly [string, boolean, Pod]>([
    ['new', true, young()],
    ['younger than the first look at the batch', false, young({ createdAt: NOON + 60 })],
    ['two seconds old', false, young({ createdAt: NOON - 1_900 })],
    ['with a scheduling gate', false, young({ spec: aPodSpec({ schedulingGates: ['wait'] }) })],
    ['of a DaemonSet', false, young({ owner: { kind: 'DaemonSet', name: 'a', uid: 'a' } })],
    ['bound to a node', false, young({ nodeName: 'node-1' })],
    ['anticipated with its owner', false, young({ owner: WEB })],
  ])('is waited for or not, depending on its state: %s', (_, isWaitedFor, pod) => {
    expect(outlook([owned('a'), pod], [anOwner(2)]).hasUnevaluated).toBe(isWaitedFor);
  });
});
