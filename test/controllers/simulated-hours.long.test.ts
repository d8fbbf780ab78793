import { describe, expect, it } from 'vitest';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { createBundledCatalogue } from '../../shared/ec2/catalogue/bundled-catalogue.ts';
import { CAPACITY_TYPE_LABEL } from '../../shared/model/labels.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { createWorld } from '../../shared/simulation/create-world.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import {
  aDaemonSet,
  aDeployment,
  aNodeClass,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
  NOON,
  resources,
} from '../support/builders.ts';
import { crashingPorts, survives } from './crash/crashing-ports.ts';

type Handler = (ports: Ports, hint: Hint) => Promise<void>;

const NAMES = ['web', 'api', 'cart', 'mail'] as const;

const deployments = NAMES.map((name, index) =>
  aDeployment({
    name,
    replicas: 15,
    template: aPodTemplate({
      labels: { app: name },
      spec: aPodSpec({ requests: resources(0.5 * (index + 1), index + 1, { pods: 1 }) }),
    }),
  }),
);

/**
 * A small fleet with budgets, expiry, interruptions and shortages, whose hints `handle` works off.
 */
function anEventfulWorld(seed: number, handle: Handler, hooks = true): SimWorld {
  const pool = aNodePool({
    expireAfterMs: HOUR_MS,
    terminationGracePeriodMs: 10 * MINUTE_MS,
    requirements: [
      { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot', 'on-demand'] },
      { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m7g', 'c7g', 'r7g'] },
    ],
    disruption: {
      consolidateAfterMs: 30 * SECOND_MS,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '30%' }],
    },
  });
  const world = createWorld({
    seed,
    startAt: NOON,
    catalogue: createBundledCatalogue(() => aNodeClass()),
    manifests: {
      pools: [pool],
      nodeClasses: [aNodeClass()],
      workloads: [...deployments, aDaemonSet()],
      pods: [],
      podDisruptionBudgets: [aPodDisruptionBudget({ name: 'web', selector: aSelector(), maxUnavailable: '1' })],
      skipped: [],
    },
    options: { interruptionsPerHour: 0.5, shortageShare: 0.2, hooks },
  });
  world.consume((hint) => handle(world.ports, hint));
  return world;
}

/** Two hours of scaling up and down, then one without. */
async function live(world: SimWorld): Promise<void> {
  for (let step = 0; step < 8; step += 1) {
    await world.clock.runUntil(world.clock.now() + 15 * MINUTE_MS);
    await expectRecords(world);
    const name = NAMES[step % NAMES.length] ?? 'web';
    const replicas = step % 3 === 0 ? 2 : 25;
    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name }, replicas);
  }
  await world.clock.runUntil(world.clock.now() + HOUR_MS);
}

/** The main invariant: every running instance is recorded. */
async function expectRecords({ ports }: SimWorld): Promise<void> {
  for (const { claim } of await ports.cloud.instances()) {
    expect(await ports.nodeClaims.find(claim)).toBeDefined();
  }
}

/** Checks that every pod runs, on nodes that have exactly one claim and one instance each. */
async function expectSteady({ ports, clock }: SimWorld): Promise<void> {
  const { pods, nodes } = await ports.cluster.observe();
  const claims = (await ports.nodeClaims.list()).records.map(({ claim }) => claim);
  const young = (at: number) => clock.now() - at < 10 * MINUTE_MS;
  const leaving = new Set(
    claims.filter(({ deletingAt }) => deletingAt !== undefined).map(({ launch }) => launch?.providerId),
  );

  expect(pods.filter((pod) => pod.nodeName === undefined && !young(pod.createdAt))).toEqual([]);
  const old = claims.filter(({ createdAt, launch }) => !young(createdAt) && !leaving.has(launch?.providerId));
  const providerIds = old.map(({ launch }) => launch?.providerId);
  expect(nodes.map(({ providerId }) => providerId)).toEqual(expect.arrayContaining(providerIds));
  expect(old.filter(({ initializedAt }) => initializedAt === undefined)).toEqual([]);

  const existing = new Set(claims.map(({ name }) => name));
  const instances = await ports.cloud.instances();
  expect(instances.filter(({ claim }) => !existing.has(claim))).toEqual([]);
  // Drains may be slow if hints are lost, but they end.
  const stuckSince = clock.now() - 30 * MINUTE_MS;
  expect(claims.filter(({ deletingAt = clock.now() }) => deletingAt < stuckSince)).toEqual([]);
  const commands = await ports.commands.list();
  expect(commands.records.filter(({ decidedAt }) => !young(decidedAt))).toEqual([]);
}

/** Lehmer's generator: the same numbers each time. */
function createRandom(): (sides: number) => number {
  let draw = 1;
  return (sides) => {
    draw = (draw * 48_271) % 2_147_483_647;
    return draw % sides;
  };
}

/** Loses two of three hints; only schedules are reliable. */
function losingHints(): Handler {
  const roll = createRandom();
  return async (ports, hint) => {
    const scheduled = hint.topic === 'sweep' || hint.topic === 'disrupt';
    if (scheduled || roll(3) === 0) await dispatch(ports, hint);
  };
}

/** Crashes in every second invocation; the queue redelivers the hint after a while. */
function crashingHandler(): Handler {
  const roll = createRandom();
  return async (ports, hint) => {
    const call = 1 + roll(30);
    const dying = roll(2) === 0 ? crashingPorts(ports, call, roll(2) === 0 ? 'before' : 'after') : ports;
    if (await survives(dying, (guarded) => dispatch(guarded, hint))) return;
    await ports.queue.send(hint, ports.clock.now() + 10 * SECOND_MS);
  };
}

const twice: Handler = async (ports, hint) => {
  await dispatch(ports, hint);
  await dispatch(ports, hint);
};

describe('hours of a simulated cluster', () => {
  it.each<[string, number, Handler]>([
    ['with every hint', 1, dispatch],
    ['with every hint and another seed', 2, dispatch],
    ['with one of three hints', 3, losingHints()],
    ['with every hint twice', 4, twice],
    ['with invocations that crash', 6, crashingHandler()],
  ])('leave every pod running and nothing behind: %s', async (_, seed, handle) => {
    const world = anEventfulWorld(seed, handle);
    await live(world);

    await expectSteady(world);
  });

  it('leave every pod running and nothing behind without webhooks', async () => {
    const world = anEventfulWorld(7, dispatch, false);
    await live(world);

    await expectSteady(world);
  });

  it('are equal for equal seeds', async () => {
    const [first, second] = [anEventfulWorld(5, dispatch), anEventfulWorld(5, dispatch)];
    await live(first);
    await live(second);

    expect(first.events()).toEqual(second.events());
    expect(first.ledger.costUsd(first.clock.now())).toBe(second.ledger.costUsd(second.clock.now()));
  });
});
