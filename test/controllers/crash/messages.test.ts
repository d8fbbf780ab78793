import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { NO_RANDOM_EVENTS } from '../../simulation/support.ts';
import { expectCleared, expectRecords } from './aftermath.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

type Deliver = (world: SimWorld, hint: Hint) => Promise<void>;

const once: Deliver = ({ ports }, hint) => dispatch(ports, hint);

/** Runs two invocations concurrently, their steps interleaved. */
const overlapping: Deliver = async ({ ports }, hint) => {
  await Promise.all([dispatch(ports, hint), dispatch(ports, hint)]);
};

/** Delivers each message several times, each copy with its own delay. */
function redelivering(copies: number, delaysMs: readonly number[]): Deliver {
  let sent = 0;
  return async ({ ports, clock }, hint) => {
    for (let copy = 0; copy < copies; copy += 1) {
      sent += 1;
      const lateMs = delaysMs[sent % delaysMs.length] ?? 0;
      clock.schedule(clock.now() + lateMs, () => dispatch(ports, hint));
    }
  };
}

async function play(scenario: Scenario, deliver: Deliver, hooks = true): Promise<SimWorld> {
  const { world, api } = scenario.create({ ...NO_RANDOM_EVENTS, hooks });
  world.consume(async (hint) => {
    await deliver(world, hint);
    await expectRecords(world);
  });
  await scenario.prepare(world);
  await scenario.happen(world, api);
  await world.clock.runUntil(world.clock.now() + 30 * MINUTE_MS);
  await expectCleared(world);
  return world;
}

const typesIn = async ({ ports }: SimWorld): Promise<readonly string[]> =>
  (await ports.nodeClaims.list()).records.map(({ claim }) => claim.launch?.instanceType ?? '').toSorted();

const launchesIn = (world: SimWorld): number => world.ledger.billedNodes.length;

describe('two overlapping invocations', () => {
  it.each(SCENARIOS)('have the effect of one: $title', async (scenario) => {
    const alone = await play(scenario, once);
    const together = await play(scenario, overlapping);

    expect(await typesIn(together)).toEqual(await typesIn(alone));
    expect(launchesIn(together)).toBe(launchesIn(alone));
  });
});

describe('messages that are repeated and out of order', () => {
  it.each(SCENARIOS)('leave nothing behind: $title', { timeout: 60_000 }, async (scenario) => {
    const delays = fc.array(fc.integer({ min: 0, max: 20 * SECOND_MS }), { minLength: 40 });
    await fc.assert(
      fc.asyncProperty(delays, async (delaysMs) => {
        await play(scenario, redelivering(3, delaysMs));
      }),
      { numRuns: 4 },
    );
  });
});

describe('a cluster without webhooks', () => {
  it.each(SCENARIOS)('is served by the sweep alone: $title', async (scenario) => {
    const world = await play(scenario, once, false);

    expect(launchesIn(world)).toBeGreaterThan(0);
  });
});
