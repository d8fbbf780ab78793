import { describe, expect, it } from 'vitest';
import type { Observed, ObservedInstance } from '../../../shared/lifecycle/observed.ts';
import { terminate } from '../../../shared/lifecycle/termination/termination.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { DISRUPTED_TAINT, UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNode, aNodeClaim, anInitializedClaim, aPodSpec, aRunningPod, NOON } from '../../support/builders.ts';

const PROVIDER_ID = 'aws:///us-east-1a/i-node-1';
const deleting = (over: Partial<NodeClaim> = {}): NodeClaim =>
  anInitializedClaim('node-1', { deletingAt: NOON, removal: 'Empty', ...over });
const closed = (over: Partial<Node> = {}): Node => aNode({ taints: [DISRUPTED_TAINT], deletionAt: NOON, ...over });
const observed = (over: Partial<Observed> = {}): Observed => ({
  now: NOON,
  nodes: [closed()],
  pods: [],
  ...over,
});
const instance = (state: ObservedInstance['state']): ObservedInstance => ({
  providerId: PROVIDER_ID,
  state,
});
const terminateInstance = { kind: 'terminate-instance', providerId: PROVIDER_ID };

describe('the start of a drain', () => {
  it('taints the Node, excludes it from load balancers and deletes it', () => {
    const node = aNode();
    const claim = deleting({ drainDeadline: NOON + 2 * MINUTE_MS });
    const step = terminate(claim, observed({ nodes: [node], pods: [aRunningPod('node-1')] }));

    expect(step).toEqual({
      claim: { ...claim, drainingAt: NOON },
      effects: [
        {
          kind: 'change-node',
          node,
          change: {
            labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
            taints: [DISRUPTED_TAINT],
          },
        },
        { kind: 'delete-node', node: { name: 'node-1', uid: aNode().uid } },
      ],
      events: [
        {
          kind: 'draining',
          at: NOON,
          claim: 'general-1',
          pods: 1,
          deadline: NOON + 2 * MINUTE_MS,
        },
      ],
    });
  });

  it('replaces a taint with the same key', () => {
    const node = aNode({ taints: [{ ...DISRUPTED_TAINT, value: 'old' }] });
    const { effects } = terminate(deleting(), observed({ nodes: [node] }));

    expect(effects[0]).toMatchObject({ change: { taints: [DISRUPTED_TAINT] } });
  });

  it('sends no event for an empty Node', () => {
    expect(terminate(deleting(), observed()).events).toEqual([]);
  });

  it('taints and deletes each Node of the instance', () => {
    const nodes = [aNode({ name: 'a' }), aNode({ name: 'b' })];
    const { effects } = terminate(deleting(), observed({ nodes }));

    expect(effects.map(({ kind }) => kind)).toEqual(['change-node', 'delete-node', 'change-node', 'delete-node']);
  });
});

describe('a drain', () => {
  const draining = deleting({ drainingAt: NOON });
  const at = (ms: number, over: Partial<Observed> = {}) => observed({ now: NOON + ms, ...over });
  const pods = [aRunningPod('node-1')];

  it('takes at least 5 s, even without pods', () => {
    expect(terminate(draining, at(4_999))).toEqual({
      claim: draining,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
    expect(terminate(draining, at(5_000)).claim.drainedAt).toBe(NOON + 5 * SECOND_MS);
  });

  describe('of a NodePool with a minimum', () => {
    const slow = deleting({ drainingAt: NOON, minDrainMs: 6 * MINUTE_MS });

    it('goes on for that time after the label, although no pod is left', () => {
      expect(terminate(slow, at(MINUTE_MS))).toEqual({
        claim: slow,
        effects: [],
        events: [],
        wakeAt: NOON + 6 * MINUTE_MS,
      });
      expect(terminate(slow, at(6 * MINUTE_MS)).claim.drainedAt).toBe(NOON + 6 * MINUTE_MS);
    });

    it.each([
      ['ends with its deadline', 2 * MINUTE_MS, 2 * MINUTE_MS],
      ['takes 5 s even if its deadline has passed', -MINUTE_MS, 5 * SECOND_MS],
      ['does not wait for a later deadline', HOUR_MS, 6 * MINUTE_MS],
    ])('%s', (_, deadline, end) => {
      const claim = { ...slow, drainDeadline: NOON + deadline };

      expect(terminate(claim, at(end - 1))).toMatchObject({ claim, wakeAt: NOON + end });
      expect(terminate(claim, at(end)).claim.drainedAt).toBe(NOON + end);
    });

    it('evicts pods at once', () => {
      expect(terminate(slow, at(0, { pods })).effects).toEqual([{ kind: 'evict', pod: pods[0] }]);
    });

    it('takes no longer if its pods leave later than that', () => {
      const late = 7 * MINUTE_MS;

      expect(terminate(slow, at(late, { pods })).claim).not.toHaveProperty('drainedAt');
      expect(terminate(slow, at(late)).claim.drainedAt).toBe(NOON + late);
    });

    it('does not delay the end of an instance that EC2 ended itself', () => {
      const nodes = [closed({ ready: false })];
      const step = terminate(slow, at(SECOND_MS, { nodes, instance: instance('gone') }));

      expect(step.effects.map(({ kind }) => kind)).toEqual(['change-node', 'delete-node']);
    });
  });

  it('does not terminate the instance while pods are left', () => {
    expect(terminate(draining, at(MINUTE_MS, { pods })).effects).toEqual([{ kind: 'evict', pod: pods[0] }]);
  });

  it.each([
    [0, SECOND_MS],
    [20 * SECOND_MS, 2 * SECOND_MS],
    [4 * MINUTE_MS, 10 * SECOND_MS],
    [6 * MINUTE_MS, 30 * SECOND_MS],
  ])('polls %i ms into the drain again after %i ms', (since, wait) => {
    expect(terminate(draining, at(since, { pods })).wakeAt).toBe(NOON + since + wait);
  });

  it('polls earlier if a pod has to be deleted before that', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON + 7 * MINUTE_MS });
    const slow = aRunningPod('node-1', { spec: aPodSpec({ terminationGracePeriodMs: 55_000 }) });
    const since = 6 * MINUTE_MS;

    expect(terminate(claim, at(since, { pods: [slow] })).wakeAt).toBe(NOON + since + 5_001);
  });

  it('ends at the deadline, even with a pod that never ends', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON + MINUTE_MS });
    const endless = aRunningPod('node-1', { deletionAt: NOON + MINUTE_MS });
    const before = terminate(claim, at(MINUTE_MS - 200, { pods: [endless] }));
    const after = terminate(claim, at(MINUTE_MS, { pods: [endless] }));

    const endAt = NOON + MINUTE_MS;
    expect(before).toMatchObject({ claim, effects: [], wakeAt: endAt, deadlineAt: endAt });
    expect(after).toMatchObject({
      claim: { ...claim, drainedAt: endAt, terminatingAt: endAt },
      effects: [{ kind: 'terminate-instance' }],
    });
  });

  it('ends at the deadline in one step, even with a volume that stays attached', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON + MINUTE_MS });
    const endless = aRunningPod('node-1', { deletionAt: NOON + MINUTE_MS });
    const volumes = [{ name: 'pv-1' }];
    const { claim: ended } = terminate(claim, at(MINUTE_MS, { pods: [endless], volumes }));

    expect(ended).toMatchObject({
      terminatingAt: NOON + MINUTE_MS,
      waitsFor: { condition: 'VolumesDetached', reason: 'TerminationGracePeriodElapsed' },
    });
  });

  it('deletes remaining pods at the deadline, before the instance ends', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON + MINUTE_MS });

    expect(terminate(claim, at(MINUTE_MS + 1, { pods })).effects).toEqual([
      { kind: 'delete-pod', pod: pods[0], gracePeriodMs: SECOND_MS },
      { kind: 'terminate-instance', providerId: PROVIDER_ID },
    ]);
  });

  it('gives pods 5 s to leave if the deadline has passed before', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON - MINUTE_MS });

    expect(terminate(claim, at(4_999, { pods })).claim).toBe(claim);
    expect(terminate(claim, at(5_000, { pods })).claim.drainedAt).toBe(NOON + 5 * SECOND_MS);
  });

  it('ends at once if Node and instance are dead, even with pods', () => {
    const node = closed({ ready: false });
    const step = terminate(draining, at(0, { nodes: [node], pods, instance: instance('gone') }));

    expect(step.effects).toEqual([
      { kind: 'change-node', node, change: { finalizers: [] } },
      { kind: 'delete-node', node: { name: 'node-1', uid: aNode().uid } },
    ]);
  });

  it('continues while the kubelet responds, whatever EC2 reports', () => {
    const step = terminate(draining, at(0, { pods, instance: instance('gone') }));

    expect(step.effects).toEqual([{ kind: 'evict', pod: pods[0] }]);
  });
});

describe('the end of the instance', () => {
  const drained = deleting({ drainingAt: NOON, drainedAt: NOON });

  it('is requested after the drain', () => {
    expect(terminate(drained, observed({ instance: instance('running') }))).toEqual({
      claim: { ...drained, terminatingAt: NOON },
      effects: [terminateInstance],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });

  it('is awaited without another request', () => {
    const ending = { ...drained, terminatingAt: NOON };

    expect(terminate(ending, observed({ instance: instance('shutting-down') }))).toEqual({
      claim: ending,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });

  it('is requested again if EC2 did not receive the request', () => {
    const ending = { ...drained, terminatingAt: NOON };
    const step = terminate(ending, observed({ instance: instance('running') }));

    expect(step.claim.terminatingAt).toBe(NOON);
    expect(step.effects).toEqual([terminateInstance]);
  });

  it('releases the Node but keeps the finalizers of others', () => {
    const node = closed({ finalizers: ['karpenter.sh/termination', 'example.com/hold'] });
    const { claim, effects, wakeAt } = terminate(drained, observed({ nodes: [node], instance: instance('gone') }));

    expect(effects[0]).toEqual({
      kind: 'change-node',
      node,
      change: { finalizers: ['example.com/hold'] },
    });
    expect(claim).toBe(drained);
    expect(wakeAt).toBe(NOON);
  });

  it.each([
    [0, 5 * SECOND_MS],
    [5 * MINUTE_MS, 30 * SECOND_MS],
    [24 * HOUR_MS, 10 * MINUTE_MS],
  ])('waits for a Node that other finalizers hold, after %i ms for %i ms, and says so', (heldMs, pollMs) => {
    const node = closed({ finalizers: ['example.com/hold'] });
    const ended = { ...drained, terminatingAt: NOON };
    const now = NOON + heldMs;

    const step = terminate(ended, observed({ now, nodes: [node], instance: instance('gone') }));

    expect(step).toMatchObject({ effects: [], wakeAt: now + pollMs });
    expect(step.claim.waitsFor).toMatchObject({
      reason: 'NodeFinalizers',
      message: 'the instance has ended; finalizers of others hold its Node node-1: example.com/hold',
    });
  });

  it('deletes a Node whose finalizer was removed before a crash', () => {
    const node = aNode({ finalizers: [], ready: false });
    const step = terminate(drained, observed({ nodes: [node], instance: instance('gone') }));

    expect(step.effects).toEqual([{ kind: 'delete-node', node: { name: 'node-1', uid: aNode().uid } }]);
  });

  it('finishes the claim when the Node is gone', () => {
    const now = NOON + 10 * MINUTE_MS;

    expect(terminate(drained, observed({ now, nodes: [], instance: instance('gone') }))).toEqual({
      claim: { ...drained, terminatedAt: now },
      effects: [{ kind: 'finish' }],
      events: [{ kind: 'terminated', at: now, claim: 'general-1', livedMs: 10 * MINUTE_MS }],
    });
  });
});

describe('volumes of a drained node', () => {
  const drained = (over: Partial<NodeClaim> = {}): NodeClaim =>
    deleting({ drainingAt: NOON, drainedAt: NOON + 10 * SECOND_MS, ...over });
  const at = NOON + 20 * SECOND_MS;
  const held = { name: 'csi-1', claim: 'default/data' };
  const detaching = (claim: NodeClaim, over: Partial<Observed> = {}) =>
    terminate(claim, { nodes: [aNode()], pods: [], volumes: [held], now: at, ...over });

  it('are awaited and reported once', () => {
    const first = detaching(drained());

    expect(first.effects).toEqual([]);
    expect(first.claim.waitsFor).toEqual({
      condition: 'VolumesDetached',
      status: 'Unknown',
      reason: 'AwaitingVolumeDetachment',
      message: 'csi-1',
      since: at,
    });
    expect(first.events).toMatchObject([{ kind: 'volumes-attached', volumes: 'csi-1' }]);
    expect(first.wakeAt).toBe(at + SECOND_MS);
    expect(detaching(first.claim)).toMatchObject({ claim: first.claim, events: [] });
  });

  it('permit termination when they are detached', () => {
    const { claim } = detaching(drained());

    const step = detaching(claim, { volumes: [] });

    expect(step.claim).toMatchObject({ volumesDetachedAt: at, terminatingAt: at });
    expect(step.claim).not.toHaveProperty('waitsFor');
    expect(step.effects).toMatchObject([{ kind: 'terminate-instance' }]);
  });

  it('are not awaited if they belong to a pod that stays on the node', () => {
    const agent = aRunningPod('node-1', {
      spec: aPodSpec({ volumeClaims: ['data'], tolerations: [{ operator: 'Exists' }] }),
    });

    expect(detaching(drained(), { pods: [agent] }).effects).toMatchObject([{ kind: 'terminate-instance' }]);
  });

  it('are not awaited past the deadline, at which the claim wakes', () => {
    const claim = drained({ drainDeadline: at + 500 });
    expect(detaching(claim).wakeAt).toBe(at + 500);

    const step = detaching(claim, { now: at + 500 });

    expect(step.claim.waitsFor).toMatchObject({
      condition: 'VolumesDetached',
      status: 'False',
      reason: 'TerminationGracePeriodElapsed',
    });
    expect(step.effects).toMatchObject([{ kind: 'terminate-instance' }]);
  });

  it('stay detached once they were, however long the Node remains', () => {
    const gone = { volumes: [], instance: instance('gone'), nodes: [closed({ ready: true })] };
    const { claim } = detaching(drained(), gone);

    expect(detaching(claim, { ...gone, now: at + SECOND_MS }).claim).toBe(claim);
  });

  it('are not read any more once the instance terminates', () => {
    const { effects } = detaching(drained({ terminatingAt: at }), {
      instance: { state: 'shutting-down' },
    });

    expect(effects).toEqual([]);
  });

  it('are listed by name up to five', () => {
    const volumes = Array.from({ length: 7 }, (_, index) => ({ name: `csi-${index}` }));

    expect(detaching(drained(), { volumes }).claim.waitsFor?.message).toBe(
      'csi-0, csi-1, csi-2, csi-3, csi-4 and 2 more',
    );
  });
});

describe('a claim that never registered', () => {
  const launched = aNodeClaim({ launch: aLaunch(), deletingAt: NOON });

  it('terminates its instance without a change of its Node', () => {
    const nodes = [aNode({ labels: {}, finalizers: [], taints: [UNREGISTERED_TAINT] })];
    const joined = observed({ nodes, instance: instance('running') });
    const { effects } = terminate(launched, joined);

    expect(effects).toEqual([terminateInstance]);
    const gone = observed({ nodes, instance: instance('gone') });
    expect(terminate(launched, gone).effects).toEqual([{ kind: 'finish' }]);
  });

  it.each<[string, Partial<Node>]>([
    ['has the registered label, because a crash lost the record of it', { finalizers: [] }],
    ['has lost its labels, but not our finalizer', { labels: {} }],
    ['has lost all that shows its registration', { labels: {}, finalizers: [] }],
  ])('is drained if its Node %s', (_, over) => {
    const pods = [aRunningPod('node-1')];
    const joined = observed({ nodes: [aNode(over)], pods, instance: instance('running') });
    const started = terminate(launched, joined);

    expect(started.claim).toMatchObject({ registeredAt: NOON, drainingAt: NOON });
    expect(started.effects.map(({ kind }) => kind)).toEqual(['change-node', 'delete-node']);
    expect(terminate(started.claim, joined).effects).toEqual([{ kind: 'evict', pod: pods[0] }]);
  });

  it('is finished if it was not launched', () => {
    const claim = aNodeClaim({ deletingAt: NOON });

    expect(terminate(claim, observed({ nodes: [], instance: { state: 'gone' } }))).toEqual({
      claim: { ...claim, terminatedAt: NOON },
      effects: [{ kind: 'finish' }],
      events: [],
    });
  });

  it('terminates an instance that its record does not have', () => {
    const claim = aNodeClaim({ deletingAt: NOON });
    const step = terminate(claim, observed({ nodes: [], instance: instance('pending') }));

    expect(step.effects).toEqual([terminateInstance]);
    expect(step.claim.terminatedAt).toBeUndefined();
  });

  it('is not finished before EC2 was asked', () => {
    const claim = aNodeClaim({ deletingAt: NOON });

    expect(terminate(claim, observed({ nodes: [] }))).toEqual({
      claim,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });
});
