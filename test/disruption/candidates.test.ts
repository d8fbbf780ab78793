import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../shared/model/labels.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aPodDisruptionBudget, aSelector, NOON } from '../support/builders.ts';
import {
  aFleet,
  aWillingPool,
  decide,
  type Fleet,
  type FleetNode,
  findStayReason,
  runningCommand,
  web,
} from './fleet.ts';

/** A pod that fits on `big`; nothing else in this cluster can be disrupted. */
const movingPod = web('mover');
const big: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 7)] };
const fleet = (node: Partial<FleetNode> = {}, over: Fleet = {}): ClusterSnapshot =>
  aFleet([{ name: 'small', pods: [movingPod], ...node }, big], over);
const withPod = (pod: Partial<Pod>, over: Fleet = {}): ClusterSnapshot =>
  fleet({ pods: [movingPod, { ...web('guard', 0.1), ...pod }] }, over);

const uninitialized = (snapshot: ClusterSnapshot, name: string): ClusterSnapshot => ({
  ...snapshot,
  claims: snapshot.claims.map(({ initializedAt, ...claim }) =>
    claim.name === name || initializedAt === undefined ? claim : { ...claim, initializedAt },
  ),
});

const owner = (kind: string) => ({ kind, name: 'owner', uid: 'owner' });
const protectedFor = (value: string) => ({ annotations: { [DO_NOT_DISRUPT_ANNOTATION]: value } });
const ofApp = (app: string) => ({ labels: { app } });
const guarding = (over: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget =>
  aPodDisruptionBudget({ name: 'guard', selector: aSelector({ app: 'guard' }), ...over });

describe('candidates', () => {
  it('include a node whose pods fit elsewhere', () => {
    expect(decide(fleet()).gone).toEqual(['small']);
  });

  it.each<[string, ClusterSnapshot]>([
    ['an uninitialized node', uninitialized(fleet(), 'small')],
    ['a node without a claim', { ...fleet(), claims: fleet().claims.slice(1) }],
    ['a claim without a node', { ...fleet(), nodes: fleet().nodes.slice(1), pods: fleet().pods.slice(1) }],
    ['a node that is being removed', fleet({ claim: { deletingAt: NOON } })],
    ['a node of a deleted pool', fleet({ pool: 'gone' })],
    [
      'a node of a pool without types',
      fleet(
        { pool: 'bare' },
        {
          pools: [aWillingPool(), aWillingPool({ name: 'bare' })],
          instanceTypes: { general: fleet().instanceTypes.general ?? [], bare: [] },
        },
      ),
    ],
  ])('%s, is skipped without a verdict', (_, snapshot) => {
    const decision = decide(snapshot);

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ claim }) => claim)).toEqual(['big']);
  });

  it('skip a node of a running command without a verdict', () => {
    const decision = decide(fleet(), [runningCommand('small')]);

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts.map(({ claim }) => claim)).toEqual(['big']);
  });

  it.each([
    ['while the nomination lasts', NOON + 10 * SECOND_MS, []],
    ['but not once the nomination has ended', NOON, ['small']],
  ])('exclude a nominated node, %s', (_, until, gone) => {
    const decision = decide(fleet({}, { nominations: { small: until } }));

    expect(decision.gone).toEqual(gone);
    if (gone.length === 0) {
      expect(findStayReason(decision, 'small')).toBe('nominated');
      expect(decision.verdicts[0]?.lookAgainAt).toBe(until);
    }
  });
});

describe('do-not-disrupt', () => {
  it.each([
    ['true', []],
    ['false', ['small']],
    ['5m', ['small']],
  ])('"%s" on the node protects only if it is the literal true', (value, gone) => {
    expect(decide(fleet({ node: protectedFor(value) })).gone).toEqual(gone);
  });

  it.each<[string, Partial<Pod>, boolean]>([
    ['protects on a pod', protectedFor('true'), true],
    ['protects on a DaemonSet pod', { ...protectedFor('true'), owner: owner('DaemonSet') }, true],
    ['protects on a static pod', { ...protectedFor('true'), owner: owner('Node') }, true],
    ['does not protect on a succeeded pod', { ...protectedFor('true'), phase: 'Succeeded' }, false],
    ['does not protect on a failed pod', { ...protectedFor('true'), phase: 'Failed' }, false],
    ['does not protect on a terminating pod', { ...protectedFor('true'), deletionAt: NOON }, false],
    [
      'protects for ten minutes, five of which are over',
      { ...protectedFor('10m'), startedAt: NOON - 5 * MINUTE_MS },
      true,
    ],
    ['does not protect after its ten minutes', { ...protectedFor('10m'), startedAt: NOON - 11 * MINUTE_MS }, false],
    ['does not protect for a negative duration', protectedFor('-5m'), false],
    ['does not protect for a duration of 0', protectedFor('0'), false],
    ['does not protect for an unreadable duration', protectedFor('abc'), false],
  ])('%s', (_, pod, stays) => {
    const decision = decide(withPod(pod));

    expect(decision.gone).toEqual(stays ? [] : ['small']);
    expect(findStayReason(decision, 'small')).toBe(stays ? 'blocked-by-do-not-disrupt' : undefined);
  });

  it.each([
    ['before', 'without an end', 'true', 'blocked-by-do-not-disrupt'],
    ['after', 'that ends', '10m', 'nominated'],
  ])('is told %s a nomination, if it is one %s', (_, __, value, reason) => {
    const pod = { ...protectedFor(value), startedAt: NOON };
    const nominations = { small: NOON + 10 * SECOND_MS };

    expect(findStayReason(decide({ ...withPod(pod), nominations }), 'small')).toBe(reason);
  });

  it('protects a running node if it is on the NodeClaim', () => {
    const snapshot = fleet();
    const claims = snapshot.claims.map((claim) =>
      claim.name === 'small' ? { ...claim, keptByHand: true as const } : claim,
    );

    const decision = decide({ ...snapshot, claims });

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'small')).toBe('blocked-by-do-not-disrupt');
  });

  it('names the protecting pod', () => {
    const [verdict] = decide(withPod(protectedFor('true'))).verdicts;

    expect(verdict?.reason.fields.object).toBe('pod default/guard');
  });

  it('does not protect for a duration that has not begun', () => {
    const { startedAt: _, ...pod } = { ...web('guard', 0.1), ...protectedFor('10m') };

    expect(decide(fleet({ pods: [movingPod, pod] })).gone).toEqual([]);
  });

  it.each([
    [2 * MINUTE_MS, []],
    [3 * MINUTE_MS, ['small']],
  ])('applies the longest of two durations, after %i ms', (passed, gone) => {
    const pods = ['1m', '3m'].map((time) => ({
      ...web(`for-${time}`, 0.1),
      ...protectedFor(time),
      startedAt: NOON,
    }));
    const decision = decide({ ...fleet({ pods }), takenAt: NOON + passed });

    expect(decision.gone).toEqual(gone);
    if (gone.length === 0) expect(decision.verdicts[0]?.lookAgainAt).toBe(NOON + 3 * MINUTE_MS);
  });
});

describe('PodDisruptionBudgets', () => {
  it.each<[string, Partial<Pod>, readonly PodDisruptionBudget[], boolean]>([
    ['block a node if they allow no disruption', {}, [guarding()], true],
    ['do not block a node if they allow a disruption', {}, [guarding({ disruptionsAllowed: 1 })], false],
    [
      'block a pod under two budgets, whatever they allow',
      {},
      [guarding({ name: 'a', disruptionsAllowed: 1 }), guarding({ name: 'b', disruptionsAllowed: 1 })],
      true,
    ],
    ['do not apply in another namespace', {}, [guarding({ namespace: 'other' })], false],
    ['block by a DaemonSet pod', { owner: owner('DaemonSet') }, [guarding()], true],
    ['do not apply to a static pod', { owner: owner('Node') }, [guarding()], false],
    ['do not apply to a finished pod', { phase: 'Succeeded' }, [guarding()], false],
    ['do not apply to a terminating pod', { deletionAt: NOON }, [guarding()], false],
    [
      'do not block an unhealthy pod with AlwaysAllow',
      { ready: false },
      [guarding({ unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      false,
    ],
    [
      'block a healthy pod with AlwaysAllow',
      { ready: true },
      [guarding({ unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      true,
    ],
  ])('%s', (_, pod, podDisruptionBudgets, stays) => {
    const decision = decide(withPod({ ...ofApp('guard'), ...pod }, { podDisruptionBudgets }));

    expect(decision.gone).toEqual(stays ? [] : ['small']);
    expect(findStayReason(decision, 'small')).toBe(stays ? 'blocked-by-pdb' : undefined);
  });

  it('are named in the reason', () => {
    const snapshot = withPod(ofApp('guard'), { podDisruptionBudgets: [guarding()] });
    const [verdict] = decide(snapshot).verdicts;

    expect(verdict?.reason.fields).toMatchObject({ pdb: 'default/guard', pod: 'default/guard' });
  });

  it('do not protect a pod that tolerates disruption', () => {
    const pod = {
      ...web('guard', 0.1, {
        tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }],
      }),
      ...ofApp('guard'),
    };
    const snapshot = fleet({ pods: [movingPod, pod] }, { podDisruptionBudgets: [guarding()] });

    expect(decide(snapshot).gone).toEqual(['small']);
  });
});

describe('the disruption cost', () => {
  const cost = (value: string) => ({
    annotations: { 'controller.kubernetes.io/pod-deletion-cost': value },
  });

  it('treats a node whose pods cost nothing as empty', () => {
    const decision = decide(fleet({ pods: [{ ...movingPod, ...cost('-2147483647') }] }));

    expect(decision.command?.reason).toBe('Empty');
    expect(decision.gone).toEqual(['small']);
  });

  it.each([
    ['a high deletion cost', cost('2147483647'), 'two'],
    ['a pod of high priority', { spec: { ...movingPod.spec, priority: 1e9 } }, 'two'],
    ['an unreadable deletion cost', cost('much'), 'one'],
  ])('puts the one with %s last, of two equal nodes', (_, pod, first) => {
    const snapshot = aFleet([
      { name: 'one', pods: [{ ...web('w-1'), ...pod }] },
      { name: 'two', pods: [web('w-2')] },
    ]);

    expect(decide(snapshot).gone).toEqual([first]);
  });
});
