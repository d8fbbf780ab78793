import { describe, expect, it } from 'vitest';
import type { Observed } from '../../../shared/lifecycle/observed.ts';
import { isDrainStuck, recordBlockedDrain } from '../../../shared/lifecycle/termination/blocked-drain.ts';
import { DO_NOT_DISRUPT_ANNOTATION, RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, aPodDisruptionBudget, aPodSpec, aRunningPod, aSelector, NOON } from '../../support/builders.ts';

const STUCK = 10 * MINUTE_MS;
const draining = aNodeClaim({ deletingAt: NOON, drainingAt: NOON });

const webPod = (name: string, over: Partial<Pod> = {}): Pod =>
  aRunningPod('node-1', { namespace: 'shop', name, labels: { app: 'web' }, ...over });

const { maxUnavailable: _, ...anyBudget } = aPodDisruptionBudget();

const budget = (over: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget => ({
  ...anyBudget,
  namespace: 'shop',
  name: 'web',
  selector: aSelector({ app: 'web' }),
  minAvailable: '1',
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
  expectedPods: 1,
  ...over,
});

interface Scene {
  readonly at: number;
  readonly pods?: readonly Pod[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly refusals?: ReadonlyMap<string, string>;
}

const observe = ({ at, pods = [webPod('web-1')], budgets = [] }: Scene): Observed => ({
  now: NOON + at,
  nodes: [],
  pods,
  budgets,
});

const record = (claim: NodeClaim, scene: Scene): NodeClaim =>
  recordBlockedDrain(claim, observe(scene), scene.refusals ?? new Map());

/** The claim after the drain has met the same state at its start and after ten minutes. */
const textFor = (scene: Omit<Scene, 'at'>): string | undefined =>
  record(record(draining, { ...scene, at: 0 }), { ...scene, at: STUCK }).blockedDrain?.text;

describe('a drain that cannot progress', () => {
  it('is reported after ten minutes, not before', () => {
    const first = record(draining, { at: 0, budgets: [budget()] });
    const before = record(first, { at: STUCK - 1, budgets: [budget()] });
    const stuck = record(before, { at: STUCK, budgets: [budget()] });

    expect(first.blockedDrain).toEqual({ pods: 1, since: NOON });
    expect(before).toBe(first);
    expect(stuck.blockedDrain).toMatchObject({ pods: 1, since: NOON, reportedAt: NOON + STUCK });
    expect(stuck.blockedDrain?.blockers).toHaveLength(1);
  });

  const never = budget({ minAvailable: '100%' });
  const protectedPod = webPod('web-1', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } });
  const restartable = { annotations: { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' } };

  it.each<[string, Omit<Scene, 'at'>]>([
    ['a budget that never allows an eviction', { budgets: [never] }],
    ['two budgets that select one pod', { budgets: [budget(), budget({ name: 'other' })] }],
    ['do-not-disrupt without an end', { pods: [protectedPod] }],
  ])('is reported at once because of %s, and counts as stuck after ten minutes', (_, scene) => {
    const first = record(draining, { ...scene, at: 0 });
    const later = record(first, { ...scene, at: STUCK - 1 });

    expect(first.blockedDrain).toMatchObject({ since: NOON, reportedAt: NOON });
    expect(first.blockedDrain?.text).toContain('shop/web-1: ');
    expect(later).toBe(first);
    expect([STUCK - 1, STUCK].map((at) => isDrainStuck(first, NOON + at))).toEqual([false, true]);
  });

  it('is not reported at once if a restart may free the pod', () => {
    const scene = { pods: [webPod('web-1', restartable)], budgets: [never] };

    expect(record(draining, { ...scene, at: 0 }).blockedDrain?.text).toBeUndefined();
  });

  it('names a budget of a single replica, the pod, since when, and what frees it', () => {
    expect(textFor({ budgets: [budget()] })).toBe(
      '1 pod has not left since 2026-01-01T12:00:00Z. shop/web-1: PodDisruptionBudget shop/web (minAvailable 1) expects 1 pod, which is healthy, and needs 1; run more replicas or lower minAvailable',
    );
  });

  it('counts the unready pods that use up a budget, and says how to find them', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In' as const, values: ['front', 'back'] },
      { key: 'canary', operator: 'DoesNotExist' as const, values: [] },
    ];
    const counts = { minAvailable: '2', currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 };
    const selector = { ...aSelector({ app: 'web' }), matchExpressions };
    const labels = { app: 'web', tier: 'front' };

    expect(textFor({ pods: [webPod('web-1', { labels })], budgets: [budget({ ...counts, selector })] })).toContain(
      "shop/web-1: PodDisruptionBudget shop/web (minAvailable 2) expects 3 pods, of which 2 are unready, and needs 2; make them ready (kubectl get pods -n shop -l 'app=web,tier in (front,back),!canary')",
    );
    const all = { ...counts, selector: aSelector({}), expectedPods: 2 };
    expect(textFor({ budgets: [budget(all)] })).toContain(
      'expects 2 pods, of which 1 is unready, and needs 2; make it ready (kubectl get pods -n shop)',
    );
  });

  it('advises AlwaysAllow if the pod itself is unready', () => {
    const text = textFor({
      pods: [webPod('web-1', { ready: false })],
      budgets: [budget({ currentHealthy: 0 })],
    });

    expect(text).toContain('or set unhealthyPodEvictionPolicy: AlwaysAllow');
  });

  it('says that a budget with maxUnavailable 0 never allows an eviction', () => {
    const text = textFor({ budgets: [aPodDisruptionBudget({ ...anyBudget, namespace: 'shop' })] });

    expect(text).toContain(
      'PodDisruptionBudget shop/web (maxUnavailable 0) never allows an eviction; raise maxUnavailable',
    );
  });

  it('names both budgets of a pod, which the eviction API refuses', () => {
    const text = textFor({
      budgets: [budget({ disruptionsAllowed: 1 }), budget({ name: 'all', disruptionsAllowed: 1 })],
    });

    expect(text).toContain(
      'shop/web-1: PodDisruptionBudgets shop/web and shop/all both select it, and the API server evicts no such pod; change the selector of one',
    );
  });

  describe('because of a pod that may be restarted elsewhere', () => {
    const restartable = webPod('web-1', {
      annotations: { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' },
      labels: { app: 'web', 'pod-template-hash': '5d' },
      owner: { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' },
    });
    const textAfter = (tried: Partial<NodeClaim>): string | undefined => {
      const scene = { pods: [restartable], budgets: [budget()] };
      const first = record({ ...draining, ...tried }, { ...scene, at: 0 });
      return record(first, { ...scene, at: STUCK }).blockedDrain?.text;
    };

    it('names the rollout that it waits for, once that was started', () => {
      expect(textAfter({ restarts: { 'shop/web-5d': NOON } })).toContain(
        'shop/web-1: it waits for the rollout of Deployment/web, restarted at 2026-01-01T12:00:00Z; see why its new pod is not ready',
      );
    });

    it('says why the restart was refused, beside what would free the pod', () => {
      const why = 'Deployment shop/web is paused';
      const tried = { restarts: { 'shop/web-5d': NOON }, refusedRestarts: { 'shop/web-5d': why } };

      expect(textAfter(tried)).toContain(
        'and needs 1, and it cannot be restarted elsewhere: Deployment shop/web is paused; run more replicas or lower minAvailable',
      );
    });

    it('names the budget until a restart was tried', () => {
      expect(textAfter({})).toContain('which is healthy, and needs 1; run more replicas');
    });
  });

  it('names a pod that do-not-disrupt protects', () => {
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };

    expect(textFor({ pods: [webPod('web-1', { annotations })] })).toContain(
      'shop/web-1: it has the annotation karpenter.sh/do-not-disrupt; remove it',
    );
  });

  it('names a pod that does not end, with the end of its grace period', () => {
    const pod = webPod('web-1', {
      deletionAt: NOON + 6 * HOUR_MS,
      spec: aPodSpec({ terminationGracePeriodMs: 6 * HOUR_MS }),
    });

    expect(textFor({ pods: [pod] })).toContain(
      'shop/web-1: it terminates, with a grace period until 2026-01-01T18:00:00Z; end its process, or delete it with a shorter grace period',
    );
  });

  it('names a pod whose eviction the API server refuses, with the answer', () => {
    const refusals = new Map([['shop/web-1', 'admission webhook "guard" denied the request']]);

    expect(textFor({ refusals })).toContain(
      'shop/web-1: the API server refuses its eviction: admission webhook "guard" denied the request',
    );
  });

  it('says when the pods are deleted regardless', () => {
    const claim = { ...draining, drainDeadline: NOON + 24 * HOUR_MS };
    const scene = { budgets: [budget()] };
    const stuck = record(record(claim, { ...scene, at: 0 }), { ...scene, at: STUCK });

    expect(stuck.blockedDrain?.text).toContain('Remaining pods are deleted by 2026-01-02T12:00:00Z regardless.');
  });

  it('lists three blockers and counts the rest', () => {
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => webPod(name, { annotations }));

    expect(textFor({ pods })).toMatch(/^5 pods have not left .*shop\/c: [^;]+; remove it; and 2 more$/);
  });
});

describe('progress of a drain', () => {
  const two = [webPod('web-1'), webPod('web-2')];

  it('starts the ten minutes again each time that a pod leaves', () => {
    const first = record(draining, { at: 0, pods: two, budgets: [budget()] });
    const later = record(first, { at: 5 * MINUTE_MS, budgets: [budget()] });

    expect(later.blockedDrain).toEqual({ pods: 1, since: NOON + 5 * MINUTE_MS });
    expect(record(later, { at: STUCK, budgets: [budget()] })).toBe(later);
  });

  it('is not a new pod on the node', () => {
    const first = record(draining, { at: 0, budgets: [budget()] });
    const later = record(first, { at: MINUTE_MS, pods: two, budgets: [budget()] });

    expect(later.blockedDrain).toEqual({ pods: 2, since: NOON });
  });

  it('ends the report as soon as nothing blocks', () => {
    const first = record(draining, { at: 0, budgets: [budget()] });

    const freed = record(first, { at: SECOND_MS, budgets: [budget({ disruptionsAllowed: 1 })] });
    expect(freed.blockedDrain).toBeUndefined();
  });

  it('needs no record while every pod can be evicted', () => {
    expect(record(draining, { at: STUCK })).toBe(draining);
  });

  it('ends the report when the pods are gone', () => {
    const first = record(draining, { at: 0, budgets: [budget()] });

    expect(record({ ...first, drainedAt: NOON + 1 }, { at: 1, pods: [] }).blockedDrain).toBe(undefined);
  });

  it('is not reported again because other pods of the budget got unready', () => {
    const scene = (currentHealthy: number) => ({
      budgets: [budget({ minAvailable: '3', currentHealthy, desiredHealthy: 3, expectedPods: 4 })],
    });
    const first = record(draining, { ...scene(2), at: 0 });
    const stuck = record(first, { ...scene(2), at: STUCK });
    const later = record(stuck, { ...scene(1), at: STUCK + MINUTE_MS });

    expect(later.blockedDrain?.text).toContain('of which 3 are unready');
    expect(later.blockedDrain?.reportedAt).toBe(stuck.blockedDrain?.reportedAt);
  });

  it('is reported again after an hour, and at once if something else blocks', () => {
    const scene = { budgets: [budget()] };
    const stuck = record(record(draining, { ...scene, at: 0 }), { ...scene, at: STUCK });

    expect(record(stuck, { ...scene, at: STUCK + HOUR_MS - 1 })).toBe(stuck);
    const again = record(stuck, { ...scene, at: STUCK + HOUR_MS });
    expect(again.blockedDrain?.reportedAt).toBe(NOON + STUCK + HOUR_MS);
    const annotations = { [DO_NOT_DISRUPT_ANNOTATION]: 'true' };
    const other = record(stuck, {
      at: STUCK + MINUTE_MS,
      pods: [webPod('web-1', { annotations })],
    });
    expect(other.blockedDrain?.reportedAt).toBe(NOON + STUCK + MINUTE_MS);
  });
});
