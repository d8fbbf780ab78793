import { describe, expect, it } from 'vitest';
import { DISRUPTED_TAINT, UNREGISTERED_TAINT } from '../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import { aDaemonSet, aDeployment, aNodeClaim, NOON } from '../support/builders.ts';
import { launchOne } from '../support/launch-one.ts';
import { launchForPods } from './launch-for-pods.ts';
import { aWorld, podsIn, runFor } from './support.ts';

interface Received {
  readonly at: number;
  readonly hint: Hint;
}

/** Collects all hints; with `serve`, a minimal controller handles them too. */
function listen(world: SimWorld, serve = false): Received[] {
  const received: Received[] = [];
  const controller = launchForPods(world.ports);
  world.consume(async (hint) => {
    received.push({ at: world.clock.now(), hint });
    if (serve) await controller(hint);
  });
  return received;
}

const topics = (received: readonly Received[]): string[] => received.map(({ hint }) => hint.topic);
const since = (received: readonly Received[], at: number): readonly Received[] =>
  received.filter((each) => each.at > at);

describe('the event source', () => {
  it('requests a plan within a second of the first unschedulable pod', async () => {
    const world = aWorld({ workloads: [aDeployment()] });
    const received = listen(world);

    await runFor(world, 2 * SECOND_MS);

    expect(topics(received)).toEqual(['plan']);
    expect((received[0]?.at ?? 0) - NOON).toBeLessThan(SECOND_MS);
  });

  it('merges the hints of many pods into a few', async () => {
    const world = aWorld({ workloads: [aDeployment({ replicas: 500 })] });
    const received = listen(world);

    await runFor(world, 30 * SECOND_MS);

    expect(await podsIn(world)).toHaveLength(500);
    expect(received.length).toBeLessThan(60);
  });

  it('requests nothing for pods that fit on running nodes', async () => {
    const world = aWorld({ workloads: [aDeployment({ replicas: 3 })] });
    const received = listen(world, true);
    await runFor(world, 3 * MINUTE_MS + SECOND_MS);
    const before = world.clock.now();

    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 5);
    await runFor(world, 20 * SECOND_MS);

    expect(topics(since(received, before))).toEqual([]);
  });

  it('reports each stage of a node: powered on, joined, ready, gone', async () => {
    const world = aWorld();
    const received = listen(world);
    const claims = () => received.filter(({ hint }) => hint.topic === 'claim');
    await launchOne(world.ports.cloud, aNodeClaim());

    await runFor(world, MINUTE_MS);
    expect(claims().map(({ hint }) => hint)).toEqual(Array(3).fill({ topic: 'claim', claim: 'general-1' }));

    const { nodes } = await world.ports.cluster.observe();
    for (const node of nodes) await world.ports.cluster.deleteNode(node);
    await runFor(world, MINUTE_MS);
    expect(claims()).toHaveLength(4);
  });

  it('does not report labels and taints that controllers set', async () => {
    const world = aWorld();
    const received = listen(world);
    await launchOne(world.ports.cloud, aNodeClaim());
    await runFor(world, MINUTE_MS + SECOND_MS);
    const before = world.clock.now();
    const { nodes } = await world.ports.cluster.observe();

    for (const node of nodes) {
      const taints = [UNREGISTERED_TAINT, DISRUPTED_TAINT];
      await world.ports.cluster.changeNode(node, { labels: { team: 'shop' }, taints });
    }
    await runFor(world, 30 * SECOND_MS);

    expect(topics(since(received, before))).not.toContain('claim');
  });

  it('reports pods that leave a node under removal, DaemonSet pods included', async () => {
    const world = aWorld({ workloads: [aDeployment(), aDaemonSet()] });
    const received = listen(world, true);
    await runFor(world, 2 * MINUTE_MS + SECOND_MS);
    const { nodes, pods } = await world.ports.cluster.observe();
    for (const node of nodes) {
      await world.ports.cluster.changeNode(node, { taints: [DISRUPTED_TAINT] });
    }

    for (const pod of pods) {
      const before = world.clock.now();
      await world.ports.cluster.deletePod(pod, 0);
      await runFor(world, 2 * SECOND_MS);
      expect(topics(since(received, before))).toContain('claim');
    }
  });

  it('requests a sweep and a disruption check every minute', async () => {
    const world = aWorld();
    const received = listen(world);

    await runFor(world, 3 * MINUTE_MS + SECOND_MS);

    expect(topics(received)).toEqual(['sweep', 'disrupt', 'sweep', 'disrupt', 'sweep', 'disrupt']);
  });
});

describe('pod event times', () => {
  it('are those of the last pod that came to a node or left it', async () => {
    const world = aWorld({ workloads: [aDeployment(), aDaemonSet()] });
    listen(world, true);
    await runFor(world, 2 * MINUTE_MS);
    const before = await world.ports.cluster.observe();
    const [node] = before.nodes;
    const bound = before.lastPodEventAt?.[node?.name ?? ''] ?? 0;
    expect(bound).toBeGreaterThan(NOON);
    expect(bound).toBeLessThan(world.clock.now());

    for (const pod of before.pods) await world.ports.cluster.deletePod(pod, 0);

    const after = await world.ports.cluster.observe();
    expect(after.lastPodEventAt).toEqual({ [node?.name ?? '']: world.clock.now() });
  });

  it('ignore DaemonSet pods, and are removed with the Node', async () => {
    const world = aWorld({ workloads: [aDeployment(), aDaemonSet()] });
    listen(world, true);
    await runFor(world, 2 * MINUTE_MS);
    const { nodes, pods, lastPodEventAt } = await world.ports.cluster.observe();

    for (const pod of pods.filter(({ owner }) => owner?.kind === 'DaemonSet')) {
      await world.ports.cluster.deletePod(pod, 0);
    }
    await runFor(world, 10 * SECOND_MS);
    expect((await world.ports.cluster.observe()).lastPodEventAt).toEqual(lastPodEventAt);

    for (const node of nodes) await world.ports.cluster.deleteNode(node);
    expect((await world.ports.cluster.observe()).lastPodEventAt).toEqual({});
  });
});
