import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { Observed } from '../../shared/lifecycle/observed.ts';
import { computeExpiry } from '../../shared/model/nodes/expiry.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aLaunch, aNode, aNodeClaim, anInitializedClaim, NOON } from '../support/builders.ts';

const nothing = { nodes: [], pods: [] };
const launched = aNodeClaim({ launch: aLaunch() });
const doubled = aNodeClaim({
  launch: aLaunch(),
  waitsFor: {
    condition: 'Registered',
    status: 'False',
    reason: 'MultipleNodesFound',
    message: 'a, b have one provider id',
    since: NOON + 10 * MINUTE_MS,
  },
});
const registered = aNodeClaim({ launch: aLaunch(), registeredAt: NOON, nodeName: 'node-1' });

describe('a claim that makes no progress', () => {
  it.each<[string, NodeClaim, number, string | undefined]>([
    ['stays if it is not launched after 4 min', aNodeClaim(), 4 * MINUTE_MS, undefined],
    ['is removed if it is not launched after 5 min 1 s', aNodeClaim(), 301 * SECOND_MS, 'LaunchTimeout'],
    ['stays if it is not registered after 14 min', launched, 14 * MINUTE_MS, undefined],
    ['is removed if it is not registered after 15 min 1 s', launched, 901 * SECOND_MS, 'RegistrationTimeout'],
    ['stays at minute 24 if it got a second Node at minute 10', doubled, 24 * MINUTE_MS, undefined],
    ['is removed at minute 25 if it got a second Node at minute 10', doubled, 25 * MINUTE_MS, 'RegistrationTimeout'],
    ['stays if it is registered', registered, HOUR_MS, undefined],
    ['stays if it is registered but not initialized for 3 h', registered, 3 * HOUR_MS, undefined],
  ])('%s', (_, claim, age, removal) => {
    const { claim: after } = advance(claim, { ...nothing, now: NOON + age });

    expect(after.removal).toBe(removal);
    expect(after.deletingAt).toBe(removal && NOON + age);
  });

  it('stays after its deadline if its Node shows that only the record of the registration is missing', () => {
    const late = { nodes: [aNode()], pods: [], now: NOON + HOUR_MS };

    expect(advance(launched, late).claim).toMatchObject({ registeredAt: NOON + HOUR_MS });
    expect(advance(launched, late).claim.deletingAt).toBeUndefined();
  });

  it('wakes at its deadline', () => {
    expect(advance(aNodeClaim(), { ...nothing, now: NOON + 4 * MINUTE_MS }).wakeAt).toBe(NOON + 5 * MINUTE_MS);
    const late = NOON + 12 * MINUTE_MS;
    expect(advance(launched, { ...nothing, now: late }).wakeAt).toBe(NOON + 15 * MINUTE_MS);
    expect(advance(registered, { ...nothing, now: late })).not.toHaveProperty('wakeAt');
  });

  it.each([
    ['registered', launched],
    ['been initialized', registered],
  ])('is checked every 15 s while it has not %s, even without events', (_, claim) => {
    const now = NOON + MINUTE_MS;
    expect(advance(claim, { ...nothing, now }).wakeAt).toBe(now + 15 * SECOND_MS);
  });

  it('is reported once, with its timeout', () => {
    const { events, effects } = advance(launched, { ...nothing, now: NOON + HOUR_MS });

    expect(events).toEqual([
      { kind: 'not-registered', at: NOON + HOUR_MS, claim: 'general-1', afterMs: 15 * MINUTE_MS },
    ]);
    expect(effects).toEqual([]);
  });
});

describe('expireAfter', () => {
  const claim = anInitializedClaim('node-1', { expireAfterMs: 30 * SECOND_MS });
  const expiry = computeExpiry(claim) ?? 0;

  it('deletes a claim at that age', () => {
    const now = expiry;
    const step = advance(claim, { nodes: [aNode()], pods: [], now });

    expect(step.claim).toMatchObject({ deletingAt: now, removal: 'Expired' });
    expect(step.events).toEqual([{ kind: 'expired', at: now, claim: 'general-1' }]);
  });

  it('wakes the claim at its expiry', () => {
    const step = advance(claim, { nodes: [aNode()], pods: [], now: NOON + 20 * SECOND_MS });

    expect(step).toEqual({ claim, effects: [], events: [], wakeAt: expiry });
  });

  it('spreads nodes that were launched together over at most an hour, and ends none early', () => {
    const ages = Array.from({ length: 60 }, (_, index) => {
      const one = anInitializedClaim('node-1', {
        name: `general-${index}`,
        expireAfterMs: 720 * HOUR_MS,
      });
      return (computeExpiry(one) ?? 0) - NOON - 720 * HOUR_MS;
    });
    const perMinute = Map.groupBy(ages, (age) => Math.floor(age / MINUTE_MS));

    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ages)).toBeLessThanOrEqual(HOUR_MS);
    expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBeLessThan(6);
  });

  it('delays short lives by a tenth at most', () => {
    expect(expiry).toBeGreaterThanOrEqual(NOON + 30 * SECOND_MS);
    expect(expiry).toBeLessThanOrEqual(NOON + 33 * SECOND_MS);
  });

  it.each([
    ['never deletes a voluntarily expiring claim by itself', undefined],
    ['deletes a voluntarily expiring claim after the grace period', HOUR_MS],
  ])('%s', (_, terminationGracePeriodMs) => {
    const voluntary = anInitializedClaim('node-1', {
      expireAfterMs: 30 * SECOND_MS,
      expiresVoluntarily: true,
      ...(terminationGracePeriodMs === undefined ? {} : { terminationGracePeriodMs }),
    });
    const removalAt = (now: number) => advance(voluntary, { nodes: [aNode()], pods: [], now }).claim.removal;

    expect(removalAt(expiry + HOUR_MS - 1)).toBeUndefined();
    expect(removalAt(expiry + HOUR_MS)).toBe(terminationGracePeriodMs === undefined ? undefined : 'Expired');
  });

  it('sets no timer if it is Never', () => {
    const forever = anInitializedClaim('node-1');

    expect(advance(forever, { nodes: [aNode()], pods: [], now: NOON })).not.toHaveProperty('wakeAt');
  });

  it('does not change the reason of a claim that is being deleted', () => {
    const going = { ...claim, deletingAt: NOON, removal: 'Empty' as const };
    const { claim: after } = advance(going, { nodes: [aNode()], pods: [], now: NOON + HOUR_MS });

    expect(after).toMatchObject({ deletingAt: NOON, removal: 'Empty' });
  });
});

describe('a terminated instance', () => {
  const claim = anInitializedClaim('node-1');
  const terminated = { state: 'gone' } as const;
  const notReady = aNode({ ready: false });

  it.each([
    ['removes a registered claim whose Node is not ready', claim, [notReady], 'InstanceGone'],
    ['removes a registered claim without a Node', claim, [], 'InstanceGone'],
    ['is ignored while the Node is ready', claim, [aNode()], undefined],
    ['removes an unregistered claim', launched, [], 'InstanceGone'],
  ])('%s', (_, before, nodes, removal) => {
    const { claim: after } = advance(before, { nodes, pods: [], instance: terminated, now: NOON });

    expect(after.removal).toBe(removal);
  });

  it('is not concluded from a Node that is missing', () => {
    const step = advance(claim, { nodes: [], pods: [], instance: { state: 'running' }, now: NOON });

    expect(step.claim.deletingAt).toBeUndefined();
    expect(step.effects).toEqual([]);
  });
});

describe('an instance that EC2 does not show', () => {
  const absent = { state: 'gone', isAbsent: true } as const;
  const notReady = aNode({ ready: false });
  const { launch } = launched;
  const launchedAt = launch?.at ?? Number.NaN;
  const joined = anInitializedClaim('node-1', { launch: aLaunch({ at: launchedAt }) });
  const observe = (claim: NodeClaim, ageMs: number, over: Partial<Observed> = {}) =>
    advance(claim, {
      ...{ nodes: [notReady], pods: [], instance: absent, now: launchedAt + ageMs },
      ...over,
    });

  it.each<[string, NodeClaim, readonly Node[]]>([
    ['that has joined', joined, [notReady]],
    ['that has not joined', launched, []],
  ])('is gone after two observations, 30 s apart, if it is new: one %s', (_, claim, nodes) => {
    const first = observe(claim, 20 * SECOND_MS, { nodes });
    const early = observe(first.claim, 49 * SECOND_MS, { nodes });
    const second = observe(early.claim, 50 * SECOND_MS, { nodes });

    expect(first.wakeAt).toBeLessThanOrEqual(launchedAt + 50 * SECOND_MS);
    expect([first, early, second].map((step) => step.claim.removal)).toEqual([undefined, undefined, 'InstanceGone']);
  });

  it('is gone at once five minutes after its launch', () => {
    expect(observe(joined, 5 * MINUTE_MS - 1).claim.removal).toBeUndefined();
    expect(observe(joined, 5 * MINUTE_MS).claim.removal).toBe('InstanceGone');
  });

  it('is gone at once if an event of EC2 said so', () => {
    const step = observe(joined, 20 * SECOND_MS, { isReportedEnded: true });

    expect(step.claim.removal).toBe('InstanceGone');
  });

  it.each<[string, Partial<Observed>]>([
    ['EC2 shows it', { instance: { state: 'running' } }],
    ['its Node is ready', { nodes: [aNode()] }],
  ])('is forgotten to be absent when %s', (_, over) => {
    const first = observe(joined, 20 * SECOND_MS);
    const shown = observe(first.claim, 40 * SECOND_MS, over);
    const again = observe(shown.claim, 60 * SECOND_MS);

    expect(first.claim).toHaveProperty('instanceAbsentSince');
    expect(shown.claim).not.toHaveProperty('instanceAbsentSince');
    expect(again.claim.removal).toBeUndefined();
  });

  it('is terminated, not forgotten, if its claim is deleted while it is new', () => {
    const leaving = { ...launched, deletingAt: launchedAt };
    const step = observe(leaving, 20 * SECOND_MS, { nodes: [] });

    expect(step.effects).toContainEqual({
      kind: 'terminate-instance',
      providerId: launch?.providerId,
    });
    expect(step.claim.terminatedAt).toBeUndefined();
    expect(observe(step.claim, 50 * SECOND_MS, { nodes: [] }).claim.terminatedAt).toBe(launchedAt + 50 * SECOND_MS);
  });
});

it('is not needed to delete a claim whose Node a user deletes', () => {
  const node = aNode({ deletionAt: NOON });
  const step = advance(anInitializedClaim('node-1'), { nodes: [node], pods: [], now: NOON });

  expect(step.claim).toMatchObject({
    ...{ deletingAt: NOON, removal: 'Requested', requestedBy: 'Node' },
  });
});

it.each([
  ['shutting-down', false, { removal: 'Interrupted', interruption: 'instance_terminated' }],
  ['gone', false, { removal: 'InstanceGone' }],
  ['gone', true, { removal: 'InstanceGone' }],
] as const)('is the cause, and not the deletion of its Node that follows: %s, Ready %s', (state, ready, expected) => {
  const node = aNode({ deletionAt: NOON, ready });
  const instance = { state };
  const claim = anInitializedClaim('node-1');
  const step = advance(claim, { nodes: [node], pods: [], now: NOON, instance });

  expect(step.claim).toMatchObject(expected);
  expect(step.events).toMatchObject([{ kind: 'impaired', cause: 'instance_terminated' }]);
});
