import { describe, expect, it } from 'vitest';
import { expectCleared } from './aftermath.ts';
import { type CrashPoint, run } from './run.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

type Kind = Pick<CrashPoint, 'moment' | 'message'>;

const KINDS: readonly Kind[] = [
  { moment: 'before', message: 'redelivered' },
  { moment: 'after', message: 'redelivered' },
  { moment: 'before', message: 'lost' },
  { moment: 'after', message: 'lost' },
];

const RUNS = SCENARIOS.flatMap((scenario) => KINDS.map((kind) => ({ scenario, ...kind })));

async function crashEverywhere(scenario: Scenario, kind: Kind): Promise<void> {
  const { effects } = await run(scenario);
  for (const [index, effect] of effects.entries()) {
    const { world } = await run(scenario, { ...kind, effect: index + 1 });
    try {
      await expectCleared(world);
    } catch (cause) {
      throw new Error(`after a crash at effect ${index + 1}, ${effect}`, { cause });
    }
  }
}

describe('without a crash', () => {
  it.each(SCENARIOS)('$title', async (scenario) => {
    const { world, effects } = await run(scenario);

    await expectCleared(world);
    expect(effects.length).toBeGreaterThan(10);
  });
});

describe('22.4: an invocation that dies at any effect leaves nothing behind', () => {
  it.each(RUNS)('$scenario.title: $moment the effect, message $message', async (one) => {
    await crashEverywhere(one.scenario, one);
  });
});
