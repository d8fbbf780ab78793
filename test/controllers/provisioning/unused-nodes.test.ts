import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { HOSTNAME_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Deployment } from '../../../shared/model/pods/workload.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, podsIn, runFor } from '../../simulation/support.ts';
import { aDeployment, aPodSpec, aPodTemplate, aSelector, podsOf, resources } from '../../support/builders.ts';

const QUARANTINE: Taint = { key: 'security.example.com/quarantine', effect: 'NoSchedule' };

/** Simulates a controller that taints each Node right after it registers, until `until`. */
function taintEachNode(world: SimWorld, until = Number.POSITIVE_INFINITY): void {
  const { clock, ports } = world;
  async function taintNewNodes(): Promise<void> {
    const { nodes } = await ports.cluster.observe();
    for (const node of nodes) {
      const isTainted = node.taints.some(({ key }) => key === QUARANTINE.key);
      if (node.labels[REGISTERED_LABEL] !== 'true' || isTainted) continue;
      await ports.cluster.changeNode(node, { taints: [...node.taints, QUARANTINE] });
    }
    if (clock.now() < until) clock.schedule(clock.now() + SECOND_MS, taintNewNodes);
  }
  clock.schedule(clock.now(), taintNewNodes);
}

/** Twenty pods that must each have a node of their own, under the product's controllers. */
function aWorldOfTwentyPods(spec: Partial<PodSpec> = {}, others: readonly Deployment[] = []): SimWorld {
  const deployment = aDeployment({
    replicas: 20,
    template: aPodTemplate({ spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }), ...spec }) }),
  });
  const world = aWorld({ workloads: [deployment, ...others] });
  world.consume((hint) => dispatch(world.ports, hint));
  return world;
}

const oncePerHost = {
  podAntiAffinity: [{ key: HOSTNAME_LABEL, selector: aSelector(), matchLabelKeys: [], namespaces: ['default'] }],
};

const launchesOf = (world: SimWorld): number => world.ledger.billedNodes.length;

const reportsOf = (world: SimWorld) =>
  world.events().flatMap(({ event }) => (event.kind === 'pods-not-received' ? [event] : []));

describe('pods whose nodes do not receive them', () => {
  it.each([
    ['share nodes', {}],
    ['need a node each', oncePerHost],
  ])(
    'cause fewer than 60 launches in two hours while a controller taints every node: they %s',
    async (_, spec) => {
      const world = aWorldOfTwentyPods(spec);
      taintEachNode(world);
      await runFor(world, 2 * HOUR_MS);

      expect(launchesOf(world)).toBeGreaterThan(0);
      expect(launchesOf(world)).toBeLessThan(60);
    },
    60_000,
  );

  it('are launched for after a minute, then two, and at most an hour, and are named each time', async () => {
    const world = aWorldOfTwentyPods();
    taintEachNode(world);
    await runFor(world, 6 * HOUR_MS);

    const reports = reportsOf(world);
    const delays = reports.map(({ at, until }) => (until - at) / MINUTE_MS);
    expect(delays.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(Math.max(...delays)).toBe(60);
    expect(reports[0]).toMatchObject({ pool: 'general', failures: 1 });
    expect(reports[0]?.pods).toHaveLength(20);
    expect(launchesOf(world)).toBeLessThan(20);
  }, 60_000);

  it('all run within minutes after a probing node receives one of them', async () => {
    const world = aWorldOfTwentyPods(oncePerHost);
    const start = world.clock.now();
    taintEachNode(world, start + 2 * MINUTE_MS);
    await runFor(world, 6 * MINUTE_MS);

    const pods = await podsIn(world);
    expect(pods.filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
    expect(await world.ports.poolBackoffs.list('placement')).toEqual([]);
  });

  it('do not delay other pods of the NodePool', async () => {
    const tolerations = [{ key: QUARANTINE.key, operator: 'Exists' as const }];
    const other = aDeployment({
      name: 'tolerant',
      replicas: 5,
      template: aPodTemplate({
        labels: { app: 'tolerant' },
        spec: aPodSpec({ requests: resources(2, 2, { pods: 1 }), tolerations }),
      }),
    });
    const world = aWorldOfTwentyPods({}, [other]);
    taintEachNode(world);
    await runFor(world, 3 * MINUTE_MS);

    const pods = await podsIn(world);
    const running = pods.filter(({ nodeName }) => nodeName !== undefined);
    expect(running.map(({ labels }) => labels.app)).toEqual(Array(5).fill('tolerant'));
  });

  it('get the back-off as the reason why they wait', async () => {
    const world = aWorldOfTwentyPods();
    taintEachNode(world);
    await runFor(world, 10 * MINUTE_MS);

    const [reason] = world.events().flatMap(({ event }) => (event.kind === 'unplaced' ? [event.text] : []));
    expect(reason).toMatch(
      /^general: its nodes did not receive these pods \(failure 1\); tried again after 2026-01-01T12:0\d/,
    );
  });

  it('back off as well if they have no owner', async () => {
    const world = aWorld({ pods: podsOf(3) });
    world.consume((hint) => dispatch(world.ports, hint));
    taintEachNode(world);
    await runFor(world, 2 * HOUR_MS);

    expect(launchesOf(world)).toBeLessThan(30);
  }, 60_000);
});
