import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Launch } from '../../../shared/model/nodes/node-claim.ts';
import { UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aDeployment, aNode, aNodeClaim, aPodSpec, aPodTemplate, resources } from '../../support/builders.ts';
import { launchOne } from '../../support/launch-one.ts';
import { aServedWorld, aWorld, podsIn, runFor } from '../support.ts';

const launchIn = async (world: SimWorld, over = {}): Promise<Launch> => {
  const claim = aNodeClaim({ instanceTypes: ['m7i.2xlarge'], ...over });
  const outcome = await launchOne(world.ports.cloud, claim);
  if (outcome.outcome !== 'launched') throw new Error('nothing was launched');
  return outcome.launch;
};

const nodeIn = async (world: SimWorld) => (await world.ports.cluster.observe()).nodes[0];

/** Runs until the world has a Node, in steps of a second. */
async function nodeJoins(world: SimWorld): Promise<number> {
  const startedAt = world.clock.now();
  while (!(await nodeIn(world)) && world.clock.now() < startedAt + 5 * MINUTE_MS) {
    await runFor(world, SECOND_MS);
  }
  return world.clock.now() - startedAt;
}

describe('an instance', () => {
  it('joins as a Node after 25 to 40 s, neither ready nor registered', async () => {
    const world = aWorld();
    const launch = await launchIn(world);

    const tookMs = await nodeJoins(world);

    expect(tookMs).toBeGreaterThanOrEqual(25 * SECOND_MS);
    expect(tookMs).toBeLessThanOrEqual(41 * SECOND_MS);
    const node = await nodeIn(world);
    expect(node).toMatchObject({
      providerId: launch.providerId,
      ready: false,
      capacity: resources(8, 32, { pods: 110 }),
      labels: { ...launch.labels, [HOSTNAME_LABEL]: node?.name, [ZONE_LABEL]: launch.zone },
      taints: [
        UNREGISTERED_TAINT,
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
      ],
    });
  });

  it('becomes ready some seconds later, but does not register itself', async () => {
    const world = aWorld();
    await launchIn(world);
    await nodeJoins(world);

    await runFor(world, 10 * SECOND_MS);

    expect(await nodeIn(world)).toMatchObject({ ready: true, taints: [UNREGISTERED_TAINT] });
  });

  it('never joins if it is terminated before', async () => {
    const world = aWorld();
    const { providerId } = await launchIn(world);
    await runFor(world, 10 * SECOND_MS);

    await world.ports.cloud.terminate(providerId);
    await runFor(world, 5 * MINUTE_MS);

    expect(await nodeIn(world)).toBeUndefined();
  });

  it('leaves a NotReady Node behind until that is deleted', async () => {
    const world = aWorld();
    const { providerId } = await launchIn(world);
    await runFor(world, MINUTE_MS);

    await world.ports.cloud.terminate(providerId);
    await runFor(world, 2 * MINUTE_MS);

    const node = await nodeIn(world);
    expect(node?.ready).toBe(false);
    expect(node?.taints.map(({ key }) => key)).toContain('node.kubernetes.io/unreachable');
  });

  it('loses its startup taints once they are set and it is ready', async () => {
    const startupTaints = [{ key: 'cilium', effect: 'NoSchedule' }] as const;
    const world = aWorld();
    await launchIn(world, { startupTaints });
    await runFor(world, MINUTE_MS);
    const node = await nodeIn(world);
    if (node) await world.ports.cluster.changeNode(node, { taints: startupTaints });
    expect((await nodeIn(world))?.taints).toEqual(startupTaints);

    await runFor(world, 20 * SECOND_MS);

    expect((await nodeIn(world))?.taints).toEqual([]);
  });
});

describe('a bound pod', () => {
  it('is ready within a few seconds', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 5 })] });

    await runFor(world, 2 * MINUTE_MS);

    for (const { phase, ready, startedAt = 0, createdAt } of await podsIn(world)) {
      expect({ phase, ready }).toEqual({ phase: 'Running', ready: true });
      expect(startedAt - createdAt).toBeLessThan(90 * SECOND_MS);
    }
  });

  it.each([
    ['its grace period if that is short', 500],
    ['a few seconds if the grace period is long', 600_000],
  ])('stops within %s', async (_, terminationGracePeriodMs) => {
    const spec = aPodSpec({ terminationGracePeriodMs });
    const workloads = [aDeployment({ template: aPodTemplate({ spec }) })];
    const world = aServedWorld({ workloads });
    await runFor(world, 2 * MINUTE_MS);
    const [pod] = await podsIn(world);
    if (!pod) throw new Error('no pod');

    await world.ports.cluster.evict(pod);

    expect((await podsIn(world))[0]?.deletionAt).toBe(world.clock.now() + terminationGracePeriodMs);
    await runFor(world, Math.min(terminationGracePeriodMs, 6 * SECOND_MS));
    expect((await podsIn(world)).map(({ uid }) => uid)).not.toContain(pod.uid);
  });

  it('stays on a lost node, not ready, and is collected some time after the Node', async () => {
    const world = aServedWorld({ workloads: [aDeployment()] });
    await runFor(world, 2 * MINUTE_MS);
    const [instance] = await world.ports.cloud.instances();
    const node = await nodeIn(world);
    const [pod] = await podsIn(world);

    await world.ports.cloud.terminate(instance?.providerId ?? '');
    await runFor(world, 2 * MINUTE_MS);
    expect(await podsIn(world)).toEqual([{ ...pod, ready: false }]);

    await world.ports.cluster.deleteNode(node ?? aNode());
    await runFor(world, 30 * SECOND_MS);
    expect((await podsIn(world)).map(({ uid }) => uid)).not.toContain(pod?.uid);
  });
});
