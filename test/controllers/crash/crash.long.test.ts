import { describe, expect, it } from 'vitest';
import { expectCleared } from './aftermath.ts';
import type { CrashMoment } from './effects.ts';
import { run } from './run.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

/** Hundreds of runs of half an hour each, on a machine that may be busy. */
const TIMEOUT_MS = 240_000;

const MOMENTS: readonly CrashMoment[] = ['before', 'after'];
const RUNS = SCENARIOS.flatMap((scenario) => MOMENTS.map((moment) => ({ scenario, moment })));

/**
 * Every second message is lost, so that each kind of effect is tested with a redelivered and with a
 * lost message.
 */
async function crashEverywhere(scenario: Scenario, moment: CrashMoment): Promise<void> {
  const { effects } = await run(scenario);
  for (const [index, effect] of effects.entries()) {
    const isLost = (index + (moment === 'after' ? 1 : 0)) % 2 === 0;
    const message = isLost ? 'lost' : 'redelivered';
    try {
      const { world } = await run(scenario, { moment, message, effect: index + 1 });
      await expectCleared(world);
    } catch (cause) {
      throw new Error(`crash ${moment} effect ${index + 1}, ${effect}, ${message}`, { cause });
    }
  }
}

describe('a scenario without a crash', () => {
  it.each(SCENARIOS)('produces its effects: $title', async (scenario) => {
    const { world, effects } = await run(scenario);

    await expectCleared(world);
    expect(effects).toEqual(expect.arrayContaining([...scenario.effects]));
  });
});

describe('an invocation that crashes at any effect', () => {
  it.each(RUNS)('leaves nothing behind: $scenario.title: $moment it', { timeout: TIMEOUT_MS }, async (one) => {
    await crashEverywhere(one.scenario, one.moment);
  });
});
