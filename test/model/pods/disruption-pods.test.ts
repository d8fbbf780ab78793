import { describe, expect, it } from 'vitest';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../../shared/model/labels.ts';
import {
  blocksByAnnotation,
  findDoNotDisruptEnd,
  isCurrentlyReschedulable,
  isDrainable,
  isEvictable,
  isFullyBlocking,
  isProvisionable,
  isReschedulable,
  isWaitingForEviction,
  listMatchingBudgets,
} from '../../../shared/model/pods/disruption-pods.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { Toleration } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aPod, aPodDisruptionBudget, aPodSpec, aRunningPod, aSelector, NOON } from '../../support/builders.ts';

const owned = (kind: string) => ({ owner: { kind, name: 'owner', uid: 'owner' } });
const tolerating = (toleration: Toleration) => ({ spec: aPodSpec({ tolerations: [toleration] }) });
const protectedBy = (value: string) => ({ annotations: { [DO_NOT_DISRUPT_ANNOTATION]: value } });
const running = (over: Partial<Pod> = {}): Pod => aRunningPod('node-1', over);

describe('the pods that a node can lose', () => {
  it.each<[string, Partial<Pod>, { drainable: boolean; evictable: boolean; waiting: boolean }]>([
    ['an ordinary pod', {}, { drainable: true, evictable: true, waiting: true }],
    ['a DaemonSet pod', owned('DaemonSet'), { drainable: true, evictable: true, waiting: true }],
    ['a mirror pod (79)', owned('Node'), { drainable: false, evictable: false, waiting: false }],
    [
      'a pod that tolerates everything (78)',
      tolerating({ operator: 'Exists' }),
      { drainable: false, evictable: false, waiting: false },
    ],
    [
      'a pod that tolerates the disrupted taint by key (78)',
      tolerating({ key: 'karpenter.sh/disrupted', operator: 'Exists' }),
      { drainable: false, evictable: false, waiting: false },
    ],
    [
      'a pod that tolerates another effect of that key',
      tolerating({ key: 'karpenter.sh/disrupted', operator: 'Exists', effect: 'NoExecute' }),
      { drainable: true, evictable: true, waiting: true },
    ],
    ['a do-not-disrupt pod (85)', protectedBy('true'), { drainable: true, evictable: false, waiting: true }],
    ['a finished pod (80)', { phase: 'Succeeded' }, { drainable: true, evictable: false, waiting: false }],
    [
      'a pod terminating since 30 s past its deletion timestamp (81)',
      { deletionAt: NOON - 30 * SECOND_MS },
      { drainable: true, evictable: false, waiting: true },
    ],
    [
      'a pod terminating since 90 s past its deletion timestamp (81)',
      { deletionAt: NOON - 90 * SECOND_MS },
      { drainable: false, evictable: false, waiting: false },
    ],
  ])('are classified: %s', (_, over, expected) => {
    const pod = running(over);

    expect({
      drainable: isDrainable(pod, NOON),
      evictable: isEvictable(pod, NOON),
      waiting: isWaitingForEviction(pod, NOON),
    }).toEqual(expected);
  });
});

describe('do-not-disrupt', () => {
  it.each([
    ['true', Number.POSITIVE_INFINITY],
    ['2m', NOON + 2 * MINUTE_MS],
    ['1h30m', NOON + 90 * MINUTE_MS],
    ['0s', undefined],
    ['-5m', undefined],
    ['false', undefined],
    ['soon', undefined],
  ])('with the value %s, on a pod that started at noon, holds until %s', (value, until) => {
    expect(findDoNotDisruptEnd(running(protectedBy(value)))).toBe(until);
  });

  it('counts from the start of the pod, and holds before it', () => {
    const { startedAt: _, ...unstarted } = running(protectedBy('2m'));

    expect(findDoNotDisruptEnd(unstarted)).toBe(Number.POSITIVE_INFINITY);
  });

  it('blocks during its time, on DaemonSet and mirror pods as well', () => {
    for (const over of [{}, owned('DaemonSet'), owned('Node')]) {
      const pod = running({ ...over, ...protectedBy('2m') });
      expect(blocksByAnnotation(pod, NOON + 2 * MINUTE_MS - 1)).toBe(true);
      expect(blocksByAnnotation(pod, NOON + 2 * MINUTE_MS)).toBe(false);
    }
  });

  it.each<Partial<Pod>>([{ phase: 'Failed' }, { deletionAt: NOON }])(
    'does not block on a pod that ends: %o',
    (over) => {
      expect(blocksByAnnotation(running({ ...protectedBy('true'), ...over }), NOON)).toBe(false);
    },
  );
});

describe('the pods that need another place', () => {
  it.each<[string, Partial<Pod>, boolean]>([
    ['a running pod', {}, true],
    ['a pod without owner', {}, true],
    ['a terminating pod', { ...owned('ReplicaSet'), deletionAt: NOON }, false],
    ['a terminating pod of a StatefulSet', { ...owned('StatefulSet'), deletionAt: NOON }, true],
    ['a DaemonSet pod', owned('DaemonSet'), false],
    ['a mirror pod', owned('Node'), false],
    ['a finished pod', { phase: 'Succeeded' }, false],
  ])('are classified: %s is %s', (_, over, expected) => {
    expect(isReschedulable(running(over))).toBe(expected);
  });

  it.each([
    ['no budget', [], true],
    ['a budget of another namespace', [aPodDisruptionBudget({ namespace: 'other' })], true],
    ['a budget of other pods', [aPodDisruptionBudget({ selector: aSelector({ app: 'db' }) })], true],
    ['maxUnavailable 0', [aPodDisruptionBudget({ maxUnavailable: '0' })], false],
    ['maxUnavailable 0 %', [aPodDisruptionBudget({ maxUnavailable: '0%' })], false],
    ['a budget that is only used up', [aPodDisruptionBudget({ maxUnavailable: '1' })], true],
    [
      'two budgets, whatever they allow',
      [
        aPodDisruptionBudget({ name: 'a', maxUnavailable: '5' }),
        aPodDisruptionBudget({ name: 'b', maxUnavailable: '5' }),
      ],
      false,
    ],
  ])('are selected: %s moves %s', (_, budgets, moves) => {
    expect(isCurrentlyReschedulable(running(), budgets, NOON)).toBe(moves);
  });

  it('include an unhealthy pod of a budget that allows its eviction', () => {
    const budget = aPodDisruptionBudget({ unhealthyPodEvictionPolicy: 'AlwaysAllow' });

    expect(isCurrentlyReschedulable(running({ ready: false }), [budget], NOON)).toBe(true);
    expect(isCurrentlyReschedulable(running({ ready: true }), [budget], NOON)).toBe(false);
  });

  it('do not include a protected pod until its protection ends', () => {
    const pod = running(protectedBy('2m'));

    expect(isCurrentlyReschedulable(pod, [], NOON)).toBe(false);
    expect(isCurrentlyReschedulable(pod, [], NOON + 2 * MINUTE_MS)).toBe(true);
  });
});

describe('PodDisruptionBudgets', () => {
  it('select pods by namespace and selector', () => {
    const mine = aPodDisruptionBudget({ name: 'mine' });
    const others = [
      aPodDisruptionBudget({ namespace: 'other' }),
      aPodDisruptionBudget({ selector: aSelector({ app: 'db' }) }),
    ];

    expect(listMatchingBudgets(running(), [...others, mine])).toEqual([mine]);
  });

  it('select no pod without a selector', () => {
    const { selector: _, ...budget } = aPodDisruptionBudget();

    expect(listMatchingBudgets(running(), [budget])).toEqual([]);
  });

  it.each([
    [{ minAvailable: '100%' }, true],
    [{ minAvailable: '99%' }, false],
    [{ minAvailable: '3' }, false],
    [{ maxUnavailable: '1' }, false],
  ])('are fully blocking with %o: %s', (rule, expected) => {
    const { maxUnavailable: _, ...budget } = aPodDisruptionBudget();

    expect(isFullyBlocking({ ...budget, ...rule })).toBe(expected);
  });
});

describe('the pods that the planner has to place', () => {
  const { unschedulableSince: _, ...unseen } = aPod();

  it.each<[string, Pod, boolean]>([
    ['an unschedulable pod', aPod(), true],
    ['one that the scheduler has not judged, or that is gated', unseen, false],
    ['one that preempts others', aPod({ nominatedNodeName: 'node-1' }), false],
    ['one that is bound', aPod({ nodeName: 'node-1' }), false],
    ['one of a DaemonSet', aPod(owned('DaemonSet')), false],
    ['a mirror pod', aPod(owned('Node')), false],
    ['one without owner', aPod(), true],
    ['one that is being deleted and waits for a finalizer', aPod({ deletionAt: NOON }), false],
    ['one that failed without a node', aPod({ phase: 'Failed' }), false],
  ])('are classified: %s is %s', (_name, pod, expected) => {
    expect(isProvisionable(pod)).toBe(expected);
  });
});
