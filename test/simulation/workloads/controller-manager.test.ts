import { describe, expect, it } from 'vitest';
import { POD_DELETION_COST_ANNOTATION } from '../../../shared/model/labels.ts';
import { isActive } from '../../../shared/model/pods/disruption-pods.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { sortForScaleDown } from '../../../shared/simulation/workloads/deployment-controller.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import {
  aDaemonSet,
  aDeployment,
  aJob,
  aPod,
  aPodSpec,
  aPodTemplate,
  aRunningPod,
  aStatefulSet,
  NOON,
} from '../../support/builders.ts';
import { aServedWorld, aWorld, podsIn, runFor } from '../support.ts';

const namesIn = async (world: SimWorld): Promise<readonly string[]> =>
  (await podsIn(world)).map(({ name }) => name).toSorted();

const activeIn = async (world: SimWorld): Promise<readonly Pod[]> => (await podsIn(world)).filter(isActive);

const first = (pods: readonly Pod[]): Pod => pods[0] ?? aPod({ name: 'there is none' });

describe('a Deployment', () => {
  it('creates pods that share the template, owned by one ReplicaSet', async () => {
    const deployment = aDeployment({ replicas: 3 });
    const world = aWorld({ workloads: [deployment] });

    await runFor(world, SECOND_MS);

    const pods = await podsIn(world);
    expect(pods).toHaveLength(3);
    expect(new Set(pods.map(({ spec }) => spec))).toEqual(new Set([deployment.template.spec]));
    expect(pods.every(({ spec }) => spec === deployment.template.spec)).toBe(true);
    expect(new Set(pods.map(({ owner }) => owner?.uid)).size).toBe(1);
    expect(first(pods).owner).toMatchObject({ kind: 'ReplicaSet' });
    expect(first(pods).owner?.name).toMatch(/^web-[a-z0-9]{9}$/);
    expect(first(pods).name).toMatch(/^web-[a-z0-9]{9}-[a-z0-9]{5}$/);
  });

  it('creates 40 pods a second, in bursts', async () => {
    const world = aWorld({ workloads: [aDeployment({ replicas: 100 })] });

    await runFor(world, SECOND_MS);
    const early = (await podsIn(world)).length;
    await runFor(world, 2 * SECOND_MS);

    expect(early).toBe(40);
    expect(await podsIn(world)).toHaveLength(100);
  });

  it('replaces an evicted pod at once, under another name', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 2 })] });
    await runFor(world, 2 * MINUTE_MS);
    const pod = first(await podsIn(world));

    await world.ports.cluster.evict(pod);
    await runFor(world, SECOND_MS);

    const active = await activeIn(world);
    expect(active).toHaveLength(2);
    expect(active.map(({ name }) => name)).not.toContain(pod.name);
  });

  it('follows user actions that scale it up and down', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 2 })] });
    const web = { kind: 'Deployment', namespace: 'default', name: 'web' } as const;
    await runFor(world, 2 * MINUTE_MS);

    world.userActions.scale(web, 5);
    await runFor(world, MINUTE_MS);
    expect(await activeIn(world)).toHaveLength(5);

    world.userActions.scale(web, 1);
    await runFor(world, MINUTE_MS);
    expect(await podsIn(world)).toHaveLength(1);
  });

  it('follows its replica schedule', async () => {
    const annotations = { 'simulation.mortise.sh/replicas': '08:00=4 13:00=6 20:00=1' };
    const world = aWorld({ workloads: [aDeployment({ annotations, replicas: 9 })] });

    await runFor(world, MINUTE_MS);
    expect(await podsIn(world)).toHaveLength(4);

    await runFor(world, HOUR_MS);
    expect(await podsIn(world)).toHaveLength(6);
    expect(world.workloads()).toMatchObject([{ replicas: 6 }]);

    await runFor(world, 9 * HOUR_MS);
    expect(await podsIn(world)).toHaveLength(1);
  });

  it("keeps a user's replica count until the next step of its schedule", async () => {
    const annotations = { 'simulation.mortise.sh/replicas': '08:00=4 13:00=6' };
    const world = aWorld({ workloads: [aDeployment({ annotations })] });
    await runFor(world, MINUTE_MS);

    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 2);
    await runFor(world, 30 * MINUTE_MS);
    expect(await podsIn(world)).toHaveLength(2);

    await runFor(world, 30 * MINUTE_MS);
    expect(await podsIn(world)).toHaveLength(6);
  });
});

describe('the pods that a ReplicaSet deletes first', () => {
  const running = (name: string, over: Partial<Pod> = {}) => aRunningPod('node-1', { name, ...over });
  const highCost = { annotations: { [POD_DELETION_COST_ANNOTATION]: '100' } };

  it.each<[string, Pod, Pod]>([
    ['wait for a node', aPod({ name: 'b' }), running('a')],
    ['are bound but not running', running('b', { phase: 'Pending', ready: false }), running('a')],
    ['are not ready', running('b', { ready: false }), running('a')],
    ['cost less to delete', running('b'), running('a', highCost)],
    ['are younger', running('b', { createdAt: NOON + 1 }), running('a')],
  ])('%s', (_, goes, stays) => {
    expect(sortForScaleDown([stays, goes]).map(({ name }) => name)).toEqual([goes.name, stays.name]);
  });

  it('share their node with the most other pods', () => {
    const pods = [aRunningPod('node-2', { name: 'a' }), running('b'), running('c')];

    expect(sortForScaleDown(pods).map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });
});

describe('a StatefulSet', () => {
  it('creates each pod when the previous one is ready', async () => {
    const world = aServedWorld({ workloads: [aStatefulSet({ replicas: 3 })] });

    await runFor(world, 10 * SECOND_MS);
    expect(await namesIn(world)).toEqual(['db-0']);

    await runFor(world, 2 * MINUTE_MS);
    const pods = await podsIn(world);
    expect(pods.map(({ name }) => name)).toEqual(['db-0', 'db-1', 'db-2']);
    const [zero, one, two] = pods.map(({ startedAt = 0 }) => startedAt);
    expect(pods[1]?.createdAt).toBeGreaterThanOrEqual(zero ?? Number.POSITIVE_INFINITY);
    expect(pods[2]?.createdAt).toBeGreaterThanOrEqual(one ?? Number.POSITIVE_INFINITY);
    expect(two).toBeGreaterThan(0);
  });

  it('reuses a name only after its pod is gone', async () => {
    const world = aServedWorld({ workloads: [aStatefulSet({ replicas: 2 })] });
    await runFor(world, 3 * MINUTE_MS);
    const before = first(await podsIn(world));

    await world.ports.cluster.evict(before);
    await runFor(world, 500);
    expect(first(await podsIn(world)).uid).toBe(before.uid);

    await runFor(world, MINUTE_MS);
    expect(await namesIn(world)).toEqual(['db-0', 'db-1']);
    expect((await podsIn(world)).map(({ uid }) => uid)).not.toContain(before.uid);
  });

  it('deletes the highest ordinal first', async () => {
    const world = aServedWorld({ workloads: [aStatefulSet({ replicas: 3 })] });
    await runFor(world, 3 * MINUTE_MS);

    world.userActions.scale({ kind: 'StatefulSet', namespace: 'default', name: 'db' }, 1);
    await runFor(world, MINUTE_MS);

    expect(await namesIn(world)).toEqual(['db-0']);
  });
});

describe('a Job', () => {
  it('runs as many pods as its parallelism until enough have succeeded', async () => {
    const job = aJob({ completions: 6, parallelism: 2, runForMs: 60_000 });
    const world = aServedWorld({ workloads: [job] });

    await runFor(world, 2 * MINUTE_MS);
    expect((await activeIn(world)).length).toBeLessThanOrEqual(2);
    await runFor(world, 4 * MINUTE_MS);

    const pods = await podsIn(world);
    expect(pods.map(({ phase }) => phase)).toEqual(Array(6).fill('Succeeded'));
    expect(world.ledger.finishedPods).toBe(6);
  });

  it('runs a pod for about two minutes by default', async () => {
    const world = aServedWorld({ workloads: [aJob()] });
    await runFor(world, MINUTE_MS);
    const { startedAt = 0 } = first(await podsIn(world));

    await world.clock.runUntil(startedAt + 100 * SECOND_MS);
    expect(first(await podsIn(world)).phase).toBe('Running');

    await world.clock.runUntil(startedAt + 140 * SECOND_MS);
    expect(first(await podsIn(world)).phase).toBe('Succeeded');
  });

  it('restarts an evicted pod', async () => {
    const world = aServedWorld({ workloads: [aJob({ runForMs: 5 * MINUTE_MS })] });
    await runFor(world, 2 * MINUTE_MS);
    const pod = first(await podsIn(world));

    await world.ports.cluster.evict(pod);
    await runFor(world, 10 * MINUTE_MS);

    expect(world.ledger.finishedPods).toBe(1);
    expect(world.ledger.createdPods).toBe(2);
    expect((await podsIn(world)).map(({ uid }) => uid)).not.toContain(pod.uid);
  });

  it('removes finished pods after ten minutes and does not run them again', async () => {
    const world = aServedWorld({ workloads: [aJob({ completions: 2, parallelism: 2 })] });

    await runFor(world, 30 * MINUTE_MS);

    expect(await podsIn(world)).toEqual([]);
    expect(world.ledger.createdPods).toBe(2);
  });
});

describe('a DaemonSet', () => {
  const plain = aPodTemplate({
    labels: { app: 'agent' },
    spec: aPodSpec({ requests: { pods: 1 } }),
  });
  const daemonsIn = async (world: SimWorld) => (await podsIn(world)).filter(({ owner }) => owner?.kind === 'DaemonSet');
  const twoNodes = aDeployment({ replicas: 14 });

  it('has one pod on each node, once the node exists', async () => {
    const world = aServedWorld({ workloads: [aDaemonSet(), twoNodes] });
    await runFor(world, 10 * SECOND_MS);
    expect(await daemonsIn(world)).toEqual([]);

    await runFor(world, 3 * MINUTE_MS);

    const { nodes } = await world.ports.cluster.observe();
    const daemons = await daemonsIn(world);
    expect(nodes).toHaveLength(2);
    expect(daemons.map(({ nodeName }) => nodeName).toSorted()).toEqual(nodes.map(({ name }) => name).toSorted());
    expect(daemons.map(({ phase }) => phase)).toEqual(['Running', 'Running']);
  });

  it('skips nodes whose labels it does not select', async () => {
    const spec = aPodSpec({ nodeSelector: { gpu: 'yes' } });
    const daemonSet = aDaemonSet({ template: { ...plain, spec } });
    const world = aServedWorld({ workloads: [daemonSet, twoNodes] });

    await runFor(world, 3 * MINUTE_MS);

    expect(await daemonsIn(world)).toEqual([]);
  });

  it('recreates its pod on a node after an eviction', async () => {
    const world = aServedWorld({ workloads: [aDaemonSet(), aDeployment()] });
    await runFor(world, 3 * MINUTE_MS);
    const before = first(await daemonsIn(world));

    await world.ports.cluster.deletePod(before, 0);
    await runFor(world, 10 * SECOND_MS);

    const after = first(await daemonsIn(world));
    expect(after.nodeName).toBe(before.nodeName);
    expect(after.uid).not.toBe(before.uid);
  });

  it('does not recreate its pod on a node with a taint that it does not tolerate', async () => {
    const world = aServedWorld({ workloads: [aDaemonSet({ template: plain }), aDeployment()] });
    await runFor(world, 3 * MINUTE_MS);
    const { nodes } = await world.ports.cluster.observe();
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] as const;
    for (const node of nodes) await world.ports.cluster.changeNode(node, { taints });
    expect(await daemonsIn(world)).toHaveLength(1);

    await world.ports.cluster.evict(first(await daemonsIn(world)));
    await runFor(world, MINUTE_MS);

    expect(await daemonsIn(world)).toEqual([]);
  });

  it('marks pods unschedulable that do not fit on their node, and moves none elsewhere', async () => {
    const spec = aPodSpec({ requests: { cpu: 3_000, pods: 1 } });
    const big = aDaemonSet({ name: 'big', template: aPodTemplate({ spec }) });
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 7 }), big] });

    await runFor(world, 5 * MINUTE_MS);

    const [pod] = await daemonsIn(world);
    expect(pod).toMatchObject({ phase: 'Pending' });
    expect(pod?.nodeName).toBeUndefined();
    expect(pod?.unschedulableSince).toBeDefined();
  });
});

describe('a pod without an owner', () => {
  it('runs, and is lost by an eviction', async () => {
    const bare = aPod({ name: 'alone' });
    const world = aServedWorld({ pods: [bare] });
    await runFor(world, 2 * MINUTE_MS);
    expect(await podsIn(world)).toMatchObject([{ name: 'alone', phase: 'Running' }]);

    await world.ports.cluster.evict(first(await podsIn(world)));
    await runFor(world, MINUTE_MS);

    expect(await podsIn(world)).toEqual([]);
  });
});
