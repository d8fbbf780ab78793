import { describe, expect, it } from 'vitest';
import type { Observed, ObservedInstance } from '../../../shared/lifecycle/observed.ts';
import { terminate } from '../../../shared/lifecycle/termination/termination.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  anInitializedClaim,
  aPodSpec,
  aRunningPod,
  NOON,
} from '../../support/builders.ts';

const PROVIDER_ID = 'aws:///us-east-1a/i-node-1';
const deleting = (over: Partial<NodeClaim> = {}): NodeClaim =>
  anInitializedClaim('node-1', { deletingAt: NOON, removal: 'Empty', ...over });
const closed = (over: Partial<Node> = {}): Node =>
  aNode({ taints: [DISRUPTED_TAINT], deletionAt: NOON, ...over });
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
  it('23.6-76, 23.5-58: taints the Node, hides it from load balancers and deletes it', () => {
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
        { kind: 'delete-node', node: 'node-1' },
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

  it('replaces a taint of the same key', () => {
    const node = aNode({ taints: [{ ...DISRUPTED_TAINT, value: 'old' }] });
    const { effects } = terminate(deleting(), observed({ nodes: [node] }));

    expect(effects[0]).toMatchObject({ change: { taints: [DISRUPTED_TAINT] } });
  });

  it('an empty Node is not worth an event', () => {
    expect(terminate(deleting(), observed()).events).toEqual([]);
  });

  it('23.5-63: closes each Node of the instance', () => {
    const nodes = [aNode({ name: 'a' }), aNode({ name: 'b' })];
    const { effects } = terminate(deleting(), observed({ nodes }));

    expect(effects.map(({ kind }) => kind)).toEqual([
      'change-node',
      'delete-node',
      'change-node',
      'delete-node',
    ]);
  });
});

describe('a drain', () => {
  const draining = deleting({ drainingAt: NOON });
  const at = (ms: number, over: Partial<Observed> = {}) => observed({ now: NOON + ms, ...over });
  const pods = [aRunningPod('node-1')];

  it('23.6-75: takes 5 s, also where there is nothing to drain', () => {
    expect(terminate(draining, at(4_999))).toEqual({
      claim: draining,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
    expect(terminate(draining, at(5_000)).claim.drainedAt).toBe(NOON + 5 * SECOND_MS);
  });

  it('23.7-104: does not end the instance while pods are left', () => {
    expect(terminate(draining, at(MINUTE_MS, { pods })).effects).toEqual([
      { kind: 'evict', pod: pods[0] },
    ]);
  });

  it.each([
    [0, SECOND_MS],
    [20 * SECOND_MS, 2 * SECOND_MS],
    [4 * MINUTE_MS, 10 * SECOND_MS],
    [6 * MINUTE_MS, 30 * SECOND_MS],
  ])('22.5: %i ms into a drain the next look is %i ms away', (since, wait) => {
    expect(terminate(draining, at(since, { pods })).wakeAt).toBe(NOON + since + wait);
  });

  it('looks when a pod has to be forced, if that is sooner', () => {
    const claim = deleting({ drainingAt: NOON, drainDeadline: NOON + 7 * MINUTE_MS });
    const slow = aRunningPod('node-1', { spec: aPodSpec({ terminationGracePeriodMs: 55_000 }) });
    const since = 6 * MINUTE_MS;

    expect(terminate(claim, at(since, { pods: [slow] })).wakeAt).toBe(NOON + since + 5_001);
  });

  it('23.6-72: ends at once if Node and instance are dead, pods or not', () => {
    const node = closed({ ready: false });
    const step = terminate(draining, at(0, { nodes: [node], pods, instance: instance('gone') }));

    expect(step.effects).toEqual([
      { kind: 'change-node', node, change: { finalizers: [] } },
      { kind: 'delete-node', node: 'node-1' },
    ]);
  });

  it('23.6-73: goes on while the kubelet is alive, whatever EC2 says', () => {
    const step = terminate(draining, at(0, { pods, instance: instance('gone') }));

    expect(step.effects).toEqual([{ kind: 'evict', pod: pods[0] }]);
  });
});

describe('the end of the instance', () => {
  const drained = deleting({ drainingAt: NOON, drainedAt: NOON });

  it('23.5-59: is asked for after the drain', () => {
    expect(terminate(drained, observed({ instance: instance('running') }))).toEqual({
      claim: { ...drained, terminatingAt: NOON },
      effects: [terminateInstance],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });

  it('23.8-105: is waited for, without asking again', () => {
    const ending = { ...drained, terminatingAt: NOON };

    expect(terminate(ending, observed({ instance: instance('shutting-down') }))).toEqual({
      claim: ending,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });

  it('is asked for again if EC2 did not hear', () => {
    const ending = { ...drained, terminatingAt: NOON };
    const step = terminate(ending, observed({ instance: instance('running') }));

    expect(step.claim.terminatingAt).toBe(NOON);
    expect(step.effects).toEqual([terminateInstance]);
  });

  it('23.8-106, 23.5-69: lets the Node go, save for the finalizers of others', () => {
    const node = closed({ finalizers: ['karpenter.sh/termination', 'example.com/hold'] });
    const { claim, effects, wakeAt } = terminate(
      drained,
      observed({ nodes: [node], instance: instance('gone') }),
    );

    expect(effects[0]).toEqual({
      kind: 'change-node',
      node,
      change: { finalizers: ['example.com/hold'] },
    });
    expect(claim).toBe(drained);
    expect(wakeAt).toBe(NOON);
  });

  it('waits for a Node that others still hold', () => {
    const node = closed({ finalizers: ['example.com/hold'] });

    expect(terminate(drained, observed({ nodes: [node], instance: instance('gone') }))).toEqual({
      claim: drained,
      effects: [],
      events: [],
      wakeAt: NOON + 5 * SECOND_MS,
    });
  });

  it('23.5-60: finishes the claim when the Node is gone', () => {
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

  it('23.7-99: are waited for, which is told once', () => {
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

  it('23.7-99: let the instance go when they are gone', () => {
    const { claim } = detaching(drained());

    const step = detaching(claim, { volumes: [] });

    expect(step.claim).toMatchObject({ volumesDetachedAt: at, terminatingAt: at });
    expect(step.claim).not.toHaveProperty('waitsFor');
    expect(step.effects).toMatchObject([{ kind: 'terminate-instance' }]);
  });

  it('23.7-100: of a pod that stays on the node to its end are not waited for', () => {
    const agent = aRunningPod('node-1', {
      spec: aPodSpec({ volumeClaims: ['data'], tolerations: [{ operator: 'Exists' }] }),
    });

    expect(detaching(drained(), { pods: [agent] }).effects).toMatchObject([
      { kind: 'terminate-instance' },
    ]);
  });

  it('23.7-103: hold up nothing past the deadline, which is looked at in time', () => {
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

  it('have gone when they were first seen to be gone, however long the Node then stays', () => {
    const gone = { volumes: [], instance: instance('gone'), nodes: [closed({ ready: true })] };
    const { claim } = detaching(drained(), gone);

    expect(detaching(claim, { ...gone, now: at + SECOND_MS }).claim).toBe(claim);
  });

  it('are no longer asked about once the instance is ending', () => {
    const { effects } = detaching(drained({ terminatingAt: at }), {
      instance: { state: 'shutting-down' },
    });

    expect(effects).toEqual([]);
  });

  it('are named up to five', () => {
    const volumes = Array.from({ length: 7 }, (_, index) => ({ name: `csi-${index}` }));

    expect(detaching(drained(), { volumes }).claim.waitsFor?.message).toBe(
      'csi-0, csi-1, csi-2, csi-3, csi-4 and 2 more',
    );
  });
});

describe('a claim that never registered', () => {
  const launched = aNodeClaim({ launch: aLaunch(), deletingAt: NOON });

  it('23.5-62: loses its instance, and its Node is not touched', () => {
    const joined = observed({ nodes: [aNode()], instance: instance('running') });
    const { effects } = terminate(launched, joined);

    expect(effects).toEqual([terminateInstance]);
    const gone = observed({ nodes: [aNode()], instance: instance('gone') });
    expect(terminate(launched, gone).effects).toEqual([{ kind: 'finish' }]);
  });

  it('23.1-15: is finished if it was not launched', () => {
    const claim = aNodeClaim({ deletingAt: NOON });

    expect(terminate(claim, observed({ nodes: [], instance: { state: 'gone' } }))).toEqual({
      claim: { ...claim, terminatedAt: NOON },
      effects: [{ kind: 'finish' }],
      events: [],
    });
  });

  it('23.14-162: loses an instance that its record does not know of', () => {
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
