import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import type { ApiServer } from '../../../shared/simulation/control-plane/api-server.ts';
import { putPod } from '../../../shared/simulation/control-plane/api-server.ts';
import { evict } from '../../../shared/simulation/control-plane/cluster.ts';
import { createDisruptionBudgets } from '../../../shared/simulation/control-plane/disruption-budgets.ts';
import { aPodDisruptionBudget, aPodTemplate, aRunningPod, aSelector, NOON } from '../../support/builders.ts';
import { anApiServer } from '../a-cluster.ts';

const TEMPLATE = aPodTemplate();
const OWNER = { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' };

/** `count` ready pods of a Deployment with as many replicas; `over` applies to the first pod. */
const webPods = (count: number, over: Partial<Pod> = {}): readonly Pod[] =>
  Array.from({ length: count }, (_, index) =>
    aRunningPod('node-1', {
      ...TEMPLATE,
      owner: OWNER,
      name: `web-${index}`,
      ...(index === 0 ? over : {}),
    }),
  );

const budget = (over: Partial<PodDisruptionBudget>): PodDisruptionBudget => {
  const { maxUnavailable: _, ...rest } = aPodDisruptionBudget();
  return { ...rest, ...over };
};

function setUp(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[], replicas?: number) {
  const api = anApiServer(budgets);
  for (const pod of pods) putPod(api.pods, pod);
  const scale = replicas ?? pods.length;
  return {
    api,
    budgets: createDisruptionBudgets(api, (uid) => (uid === OWNER.uid ? scale : undefined)),
  };
}

const evictFrom = ({ api, budgets }: ReturnType<typeof setUp>, pod: Pod | undefined): ReturnType<typeof evict> =>
  evict(api, budgets, pod ?? aRunningPod('none'), NOON);

const firstOf = (api: ApiServer): Pod | undefined => api.pods.list()[0];

describe('the status of a disruption budget', () => {
  const half = { minAvailable: '50%' };

  it.each<[string, Partial<PodDisruptionBudget>, number, number, number]>([
    ['minAvailable 2 of 5', { minAvailable: '2' }, 5, 2, 3],
    ['minAvailable 5 of 5', { minAvailable: '5' }, 5, 5, 0],
    ['minAvailable 9 of 5', { minAvailable: '9' }, 5, 9, 0],
    ['minAvailable 50 % of 5, rounded up', half, 5, 3, 2],
    ['minAvailable 100 %', { minAvailable: '100%' }, 4, 4, 0],
    ['maxUnavailable 1 of 5', { maxUnavailable: '1' }, 5, 4, 1],
    ['maxUnavailable 0', { maxUnavailable: '0' }, 5, 5, 0],
    ['maxUnavailable 10 % of 5, rounded up', { maxUnavailable: '10%' }, 5, 4, 1],
    ['maxUnavailable 9 of 5', { maxUnavailable: '9' }, 5, 0, 5],
    ['without minAvailable and maxUnavailable', {}, 5, 0, 5],
  ])('%s', (_, over, count, desiredHealthy, disruptionsAllowed) => {
    const { budgets } = setUp(webPods(count), [budget(over)]);

    expect(budgets.list()).toMatchObject([{ currentHealthy: count, desiredHealthy, disruptionsAllowed }]);
  });

  it("compares with the workload's replica count", () => {
    const { budgets } = setUp(webPods(3), [budget({ maxUnavailable: '1' })], 5);

    expect(budgets.list()).toMatchObject([{ desiredHealthy: 4, disruptionsAllowed: 0 }]);
  });

  it.each<[string, Partial<Pod>]>([
    ['is not ready', { ready: false }],
    ['terminates', { deletionAt: NOON + 30_000 }],
  ])('does not count a pod that %s', (_, over) => {
    const { budgets } = setUp(webPods(3, over), [budget({ minAvailable: '1' })]);

    expect(budgets.list()).toMatchObject([{ currentHealthy: 2, disruptionsAllowed: 1 }]);
  });

  it("allows nothing for a percentage if the pods' owner has no scale", () => {
    const pods = webPods(3).map((pod) => ({ ...pod, owner: { ...OWNER, uid: 'job' } }));

    const share = setUp(pods, [budget({ minAvailable: '50%' })]);
    const count = setUp(pods, [budget({ minAvailable: '2' })]);

    expect(share.budgets.list()).toMatchObject([{ disruptionsAllowed: 0 }]);
    expect(count.budgets.list()).toMatchObject([{ disruptionsAllowed: 1 }]);
  });

  it('covers pods of its namespace that its selector selects', () => {
    const elsewhere = webPods(2).map((pod) => ({ ...pod, namespace: 'bank', uid: `b-${pod.uid}` }));
    const pods = [...webPods(2), ...elsewhere];
    const other = budget({ name: 'other', selector: aSelector({ app: 'db' }) });

    const { budgets } = setUp(pods, [budget({ minAvailable: '1' }), other]);

    expect(budgets.list()).toMatchObject([
      { currentHealthy: 2, disruptionsAllowed: 1 },
      { currentHealthy: 0, disruptionsAllowed: 0 },
    ]);
  });

  it('is the same list until a pod changes', () => {
    const { api, budgets } = setUp(webPods(2), [budget({ minAvailable: '1' })]);
    const before = budgets.list();

    expect(budgets.list()).toBe(before);
    for (const pod of webPods(1, { ready: false })) putPod(api.pods, pod);

    expect(budgets.list()).toMatchObject([{ currentHealthy: 1, disruptionsAllowed: 0 }]);
  });
});

describe('an eviction', () => {
  it('is allowed pod by pod until the budget is used up', () => {
    const world = setUp(webPods(4), [budget({ minAvailable: '2' })]);

    const outcomes = world.api.pods.list().map((pod) => evictFrom(world, pod).outcome);

    expect(outcomes).toEqual(['evicted', 'evicted', 'refused', 'refused']);
  });

  it('uses the pod’s own grace period', () => {
    const world = setUp(webPods(1), []);

    evictFrom(world, firstOf(world.api));

    expect(firstOf(world.api)?.deletionAt).toBe(NOON + 30_000);
  });

  it('is refused if more than one budget covers the pod', () => {
    const budgets = [budget({ minAvailable: '0' }), budget({ name: 'too', minAvailable: '0' })];
    const world = setUp(webPods(3), budgets);

    expect(evictFrom(world, firstOf(world.api))).toEqual({ outcome: 'refused', pdb: 'web, too' });
  });

  it.each<[string, Partial<PodDisruptionBudget>, number, string]>([
    ['IfHealthyBudget permits it if enough others are healthy', {}, 4, 'evicted'],
    ['IfHealthyBudget refuses it if too few are healthy', {}, 3, 'refused'],
    ['AlwaysAllow permits it', { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 3, 'evicted'],
  ])('of a pod that is not ready: %s', (_, over, count, outcome) => {
    const world = setUp(webPods(count, { ready: false }), [budget({ minAvailable: '3', ...over })]);

    expect(evictFrom(world, firstOf(world.api)).outcome).toBe(outcome);
  });

  it.each<[string, Partial<Pod>, string]>([
    ['is not running yet', { phase: 'Pending', ready: false }, 'evicted'],
    ['is terminating', { deletionAt: NOON }, 'evicted'],
    ['has finished', { phase: 'Succeeded', ready: false }, 'gone'],
  ])('ignores budgets for a pod that %s', (_, over, outcome) => {
    const world = setUp(webPods(3, over), [budget({ minAvailable: '100%' })]);

    expect(evictFrom(world, firstOf(world.api)).outcome).toBe(outcome);
  });

  it('reports a removed pod as gone', () => {
    expect(evictFrom(setUp([], []), webPods(1)[0])).toEqual({ outcome: 'gone' });
  });
});
