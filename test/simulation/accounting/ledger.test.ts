import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Ledger, SimWorld } from '../../../shared/simulation/world.ts';
import {
  aDaemonSet,
  aDeployment,
  aJob,
  aNodeClaim,
  aPodSpec,
  aPodTemplate,
  NOON,
  resources,
} from '../../support/builders.ts';
import { launchOne } from '../../support/launch-one.ts';
import { aServedWorld, aWorld, podsIn, runFor } from '../support.ts';

const launch = async (world: SimWorld, name: string): Promise<string> => {
  const outcome = await launchOne(world.ports.cloud, aNodeClaim({ name }));
  return outcome.outcome === 'launched' ? outcome.launch.providerId : '';
};

/** Integral of the hourly cost. */
function areaUnder({ points }: Ledger, until: number): number {
  let sum = 0;
  for (const [index, point] of points.entries()) {
    const end = Math.min(until, points[index + 1]?.at ?? until);
    const hourlyUsd = point.onDemandHourlyUsd + point.spotHourlyUsd;
    sum += (hourlyUsd * Math.max(0, end - point.at)) / HOUR_MS;
  }
  return sum;
}

describe('the ledger', () => {
  it('bills an instance from its launch to its termination request', async () => {
    const world = aWorld();
    const providerId = await launch(world, 'general-1');
    const [stay] = world.ledger.billedNodes;
    await runFor(world, 2 * HOUR_MS);
    await world.ports.cloud.terminate(providerId);
    await runFor(world, HOUR_MS);

    expect(world.ledger.costUsd(world.clock.now())).toBeCloseTo(2 * (stay?.hourlyUsd ?? 0), 10);
    expect(world.ledger.costUsd(NOON + HOUR_MS)).toBeCloseTo(stay?.hourlyUsd ?? 0, 10);
    expect(world.ledger.costUsd(NOON)).toBe(0);
    expect(world.ledger.billedNodes).toMatchObject([
      { claim: 'general-1', launchedAt: NOON, removedAt: NOON + 2 * HOUR_MS },
    ]);
  });

  it('has a cost curve whose integral is the bill', async () => {
    const anyLife = fc.record({
      after: fc.nat({ max: 100 * MINUTE_MS }),
      lives: fc.nat({ max: 100 * MINUTE_MS }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyLife, { maxLength: 8 }), async (lives) => {
        const world = aWorld();
        for (const [index, { after, lives: ms }] of lives.entries()) {
          world.clock.schedule(NOON + after, async () => {
            const providerId = await launch(world, `general-${index}`);
            world.clock.schedule(world.clock.now() + ms, () => world.ports.cloud.terminate(providerId));
          });
        }
        for (const hours of [1, 2, 4]) {
          await world.clock.runUntil(NOON + hours * HOUR_MS);
          const now = world.clock.now();
          expect(areaUnder(world.ledger, now)).toBeCloseTo(world.ledger.costUsd(now), 9);
        }
        const expected = world.ledger.billedNodes.reduce(
          (sum, { hourlyUsd, launchedAt, removedAt = launchedAt }) =>
            sum + (hourlyUsd * (removedAt - launchedAt)) / HOUR_MS,
          0,
        );
        expect(world.ledger.costUsd(world.clock.now())).toBeCloseTo(expected, 9);
        expect(world.ledger.points.at(-1)).toMatchObject({ nodes: 0, spotHourlyUsd: 0 });
      }),
      { numRuns: 25 },
    );
  });

  it('records nodes and pending pods at each point, in order of time', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 14 }), aDaemonSet()] });

    await runFor(world, 5 * MINUTE_MS);

    const { points } = world.ledger;
    expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(new Set(points.map(({ at }) => at)).size).toBe(points.length);
    expect(Math.max(...points.map(({ pendingPods }) => pendingPods))).toBe(14);
    expect(points.at(-1)).toMatchObject({ pendingPods: 0, nodes: 2 });
  });

  it('records how long each pod waited, without DaemonSet pods', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 5 }), aDaemonSet()] });

    await runFor(world, 5 * MINUTE_MS);

    const replicas = (await podsIn(world)).filter(({ owner }) => owner?.kind === 'ReplicaSet');
    const waits = replicas.map(({ createdAt, startedAt = 0 }) => startedAt - createdAt);
    expect(world.ledger.waitsMs.toSorted()).toEqual(waits.toSorted());
    expect(world.ledger.createdPods).toBe(5);
  });

  it('averages requested by allocatable over time', async () => {
    const spec = aPodSpec({ requests: resources(2, 16, { pods: 1 }) });
    const template = aPodTemplate({ spec });
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 1, template })] });
    expect(world.ledger.requestedShare(NOON)).toEqual({ cpu: 0, memory: 0 });

    await runFor(world, 100 * DAY_MS);

    const { cpu, memory } = world.ledger.requestedShare(world.clock.now());
    expect(cpu).toBeCloseTo(2 / 8, 4);
    expect(memory).toBeCloseTo(16 / 32, 4);
  });

  it('counts pod days', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 4 })] });
    await runFor(world, HOUR_MS);
    const before = world.ledger.podDays(world.clock.now());

    await runFor(world, DAY_MS);

    expect(world.ledger.podDays(world.clock.now()) - before).toBeCloseTo(4, 10);
  });

  it('counts each evicted pod once, without DaemonSet pods', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 2 }), aDaemonSet()] });
    await runFor(world, 3 * MINUTE_MS);

    for (const pod of await podsIn(world)) {
      await world.ports.cluster.evict(pod);
      await world.ports.cluster.deletePod(pod, 1_000);
    }

    expect(world.ledger.evictions).toBe(2);
  });

  it('lists the pods of a node, or those at the start of its removal', async () => {
    const world = aServedWorld({ workloads: [aDeployment({ replicas: 3 }), aDaemonSet()] });
    await runFor(world, 3 * MINUTE_MS);
    const { nodes, pods } = await world.ports.cluster.observe();
    const replicas = pods.filter(({ owner }) => owner?.kind === 'ReplicaSet');
    const keys = replicas.map(({ namespace, name }) => `${namespace}/${name}`).toSorted();
    expect(world.ledger.billedNodes.map((stay) => stay.pods.toSorted())).toEqual([keys]);

    const [node] = nodes;
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] as const;
    if (node) await world.ports.cluster.changeNode(node, { taints });
    for (const pod of replicas) await world.ports.cluster.deletePod(pod, 0);
    await world.ports.cloud.terminate(node?.providerId ?? '');

    expect(world.ledger.billedNodes.map((stay) => stay.pods.toSorted())).toEqual([keys]);
  });

  it('shows the reason of a removal, even if it was recorded after the end', async () => {
    const world = aWorld();
    const providerId = await launch(world, 'general-1');
    await world.ports.cloud.terminate(providerId);
    expect(world.ledger.billedNodes[0]).not.toHaveProperty('removal');

    await world.ports.nodeClaims.save(aNodeClaim({ removal: 'InstanceGone' }), 0);

    expect(world.ledger.billedNodes).toMatchObject([{ removal: 'InstanceGone' }]);
  });

  it('counts finished pods', async () => {
    const world = aServedWorld({ workloads: [aJob({ completions: 3, parallelism: 3 })] });

    await runFor(world, 10 * MINUTE_MS);

    expect(world.ledger.finishedPods).toBe(3);
  });
});
