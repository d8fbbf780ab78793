import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import { aDaemonSet, aDeployment, aJob, aPodTemplate, aStatefulSet } from '../support/builders.ts';
import { aServedWorld, aWorld } from './support.ts';

const WORKLOADS = [
  aDeployment({ replicas: 20 }),
  aDeployment({
    name: 'breathing',
    annotations: { 'simulation.mortise.sh/replicas': '12:00=4 12:30=12 13:00=2' },
    template: aPodTemplate({ labels: { app: 'breathing' } }),
  }),
  aStatefulSet({ replicas: 3 }),
  aJob({ completions: 20, parallelism: 5 }),
  aDaemonSet(),
];
const EVENTFUL = { interruptionsPerHour: 0.5, shortageShare: 0.1 };

/** All output of a run. */
async function serializeOutput(world: SimWorld): Promise<string> {
  const { ledger, clock } = world;
  const now = clock.now();
  return JSON.stringify({
    objects: await world.ports.cluster.observe(),
    claims: await world.ports.nodeClaims.list(),
    catalogue: await world.ports.cloud.catalogue([]),
    instances: await world.ports.cloud.instances(),
    events: world.events(),
    decisions: world.decisions(),
    stays: ledger.billedNodes,
    points: ledger.points,
    waits: ledger.waitsMs,
    share: ledger.requestedShare(now),
    sums: [ledger.costUsd(now), ledger.podDays(now), ledger.evictions, ledger.createdPods],
  });
}

async function run(seed: number, stepsMs: readonly number[], act = (_: SimWorld) => {}) {
  const world = aServedWorld({ workloads: WORKLOADS }, { seed, options: EVENTFUL });
  const startAt = world.clock.now();
  await world.clock.runUntil(startAt + 20 * MINUTE_MS);
  act(world);
  let at = world.clock.now();
  for (const step of stepsMs) {
    at = Math.min(startAt + 2 * HOUR_MS, at + step);
    await world.clock.runUntil(at);
  }
  await world.clock.runUntil(startAt + 2 * HOUR_MS);
  return serializeOutput(world);
}

const scaleUp = ({ userActions }: SimWorld): void => {
  userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 30);
  userActions.exhaustCapacity({ zone: 'us-east-1a' }, 10 * MINUTE_MS);
  userActions.multiplySpotPrices(1.3);
};

/** The same under the product's own controllers. */
async function runWithControllers(seed: number): Promise<string> {
  const workloads = WORKLOADS.filter(({ kind }) => kind !== 'Job');
  const world = aWorld({ workloads }, { seed, options: EVENTFUL });
  world.consume((hint) => dispatch(world.ports, hint));
  await world.clock.runUntil(world.clock.now() + 80 * MINUTE_MS);
  expect(world.decisions().length).toBeGreaterThan(1);
  expect(world.ledger.billedNodes.some(({ removedAt }) => removedAt !== undefined)).toBe(true);
  return serializeOutput(world);
}

describe('a simulation', () => {
  it("gives the same output under the product's controllers", async () => {
    const bytes = await runWithControllers(3);

    expect(await runWithControllers(3)).toBe(bytes);
    expect(await runWithControllers(4)).not.toBe(bytes);
  });

  it('gives the same output for the same seed and actions', async () => {
    expect(await run(7, [], scaleUp)).toBe(await run(7, [], scaleUp));
  });

  it('gives the same output however the time is divided into runs', async () => {
    const whole = await run(7, []);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 20 }), async (steps) => {
        expect(await run(7, steps)).toBe(whole);
      }),
      { numRuns: 10 },
    );
  });

  it('gives another output for another seed or other actions', async () => {
    const bytes = await run(7, []);

    expect(await run(8, [])).not.toBe(bytes);
    expect(await run(7, [], scaleUp)).not.toBe(bytes);
  });
});
