import { describe, expect, it } from 'vitest';
import { planRestarts, recordRefusedRestarts } from '../../../shared/lifecycle/termination/blocked-restarts.ts';
import { DO_NOT_DISRUPT_ANNOTATION, RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { anInitializedClaim, aPodDisruptionBudget, aRunningPod, NOON } from '../../support/builders.ts';

const optIn = { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' };
const replicaSet = { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' };
const aBlockedPod = (over: Partial<Pod> = {}): Pod =>
  aRunningPod('node-1', { annotations: optIn, owner: replicaSet, ...over });
const draining = (over: Partial<NodeClaim> = {}): NodeClaim =>
  anInitializedClaim('node-1', { deletingAt: NOON, drainingAt: NOON, ...over });

interface Situation {
  readonly claim?: NodeClaim;
  readonly pods?: readonly Pod[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly now?: number;
}

function plan({
  claim = draining(),
  pods = [aBlockedPod()],
  budgets = [aPodDisruptionBudget()],
  now = NOON,
}: Situation = {}) {
  return planRestarts(claim, { pods, budgets, now });
}

const atTimes = aPodDisruptionBudget({ maxUnavailable: '1' });

describe('a pod that a budget keeps on a draining node', () => {
  it('has its Deployment restarted, and the claim remembers when', () => {
    const pod = aBlockedPod();

    expect(plan({ pods: [pod] })).toEqual({
      claim: { ...draining(), restarts: { 'default/web-5d': NOON } },
      effects: [{ kind: 'restart-owner', pod }],
    });
  });

  it.each<[string, Situation]>([
    ['its template does not have the annotation', { pods: [aBlockedPod({ annotations: {} })] }],
    [
      'the annotation is false',
      {
        pods: [aBlockedPod({ annotations: { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'false' } })],
      },
    ],
    [
      'do-not-disrupt protects it as well',
      {
        pods: [aBlockedPod({ annotations: { ...optIn, [DO_NOT_DISRUPT_ANNOTATION]: 'true' } })],
      },
    ],
    ['it terminates already', { pods: [aBlockedPod({ deletionAt: NOON + MINUTE_MS })] }],
    ['no budget selects it', { budgets: [] }],
    [
      'its budget allows the eviction',
      {
        budgets: [aPodDisruptionBudget({ disruptionsAllowed: 1 })],
      },
    ],
    [
      'its budget has refused the eviction for less than 30 s',
      {
        budgets: [atTimes],
        claim: draining({ heldUpBy: { 'default/web': NOON } }),
        now: NOON + 29 * SECOND_MS,
      },
    ],
    [
      'it was restarted less than ten minutes ago',
      {
        claim: draining({ restarts: { 'default/web-5d': NOON } }),
        now: NOON + 9 * MINUTE_MS,
      },
    ],
  ])('is left alone if %s', (_, situation) => {
    const { claim, effects } = plan(situation);

    expect(effects).toEqual([]);
    expect(claim).toEqual(situation.claim ?? draining());
  });

  it.each<[string, Situation]>([
    [
      'a budget that allows evictions at times has refused it for 30 s',
      {
        budgets: [atTimes],
        claim: draining({ heldUpBy: { 'default/web': NOON } }),
        now: NOON + 30 * SECOND_MS,
      },
    ],
    [
      'two budgets select it, which the API server never evicts',
      {
        budgets: [atTimes, aPodDisruptionBudget({ name: 'other', disruptionsAllowed: 1 })],
      },
    ],
    [
      'ten minutes have passed since the last restart',
      {
        claim: draining({ restarts: { 'default/web-5d': NOON } }),
        now: NOON + 10 * MINUTE_MS,
      },
    ],
  ])('is restarted if %s', (_, situation) => {
    expect(plan(situation).effects).toHaveLength(1);
  });

  it.each<[string, Pod]>([
    ['belongs to a StatefulSet', aBlockedPod({ owner: { kind: 'StatefulSet', name: 'db', uid: 'db' } })],
    ['has no owner', aRunningPod('node-1', { annotations: optIn })],
  ])('is tried as well if it %s, so that an Event says why that is impossible', (_, pod) => {
    expect(plan({ pods: [pod] }).effects).toEqual([{ kind: 'restart-owner', pod }]);
  });

  it('is restarted once for all pods of a ReplicaSet', () => {
    const pods = ['web-1', 'web-2'].map((name) => aBlockedPod({ name, uid: name }));

    expect(plan({ pods }).effects).toHaveLength(1);
  });
});

describe('a restart that was refused', () => {
  const tried = draining({ restarts: { 'default/web-5d': NOON } });
  const refused = { ...tried, refusedRestarts: { 'default/web-5d': 'it is paused' } };

  it('is recorded with the reason', () => {
    const why = new Map([[aBlockedPod(), 'it is paused']]);

    expect(recordRefusedRestarts(draining(), tried, why)).toEqual(refused);
  });

  it('is forgotten when the next one is not refused, and kept while another is tried', () => {
    const again = { ...refused, restarts: { 'default/web-5d': NOON + 10 * MINUTE_MS } };
    const another = { ...refused, restarts: { ...refused.restarts, 'default/db-7f': NOON } };

    expect(recordRefusedRestarts(refused, again, new Map())).toEqual(draining({ restarts: again.restarts }));
    expect(recordRefusedRestarts(refused, another, new Map())).toEqual(another);
  });
});
