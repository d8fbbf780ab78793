import type { Lab } from './lab/start-lab.ts';
import { waitUntil } from './lab/wait-until.ts';
import type { Measures, Scenario, World } from './scenario.ts';
import { startUsage, type Usage } from './usage.ts';
import { createWorld } from './world.ts';

export interface ScenarioReport {
  readonly name: string;
  readonly seconds: number;
  readonly measures: Measures;
  readonly usage: Usage;
  readonly error?: string;
  /**
   * The error of the first attempt. Timing varies, because all processes share few cores and clocks
   * are real.
   */
  readonly firstError?: string;
}

/** Runs a scenario. A failed one is repeated once, and the report contains the first error. */
export async function runScenario(lab: Lab, scenario: Scenario): Promise<ScenarioReport> {
  const first = await tryScenario(lab, scenario);
  if (first.error === undefined || scenario.isOnce === true) return first;
  return { ...(await tryScenario(lab, scenario)), firstError: first.error };
}

/** Runs one scenario and deletes its pool; then no object of it may remain. */
async function tryScenario(lab: Lab, scenario: Scenario): Promise<ScenarioReport> {
  const start = Date.now();
  const usage = startUsage(lab);
  const world = await createWorld(lab, scenario.id);
  lab.say(`${scenario.name} ...`);
  let measures: Measures = {};
  let error: string | undefined;
  try {
    lab.rules.delay(scenario.delays ?? 'none');
    measures = await scenario.run(lab, world);
    await checkNothingLeaked(world);
    if (scenario.keepsPool !== true) await deleteWorld(lab, world);
  } catch (cause) {
    error = cause instanceof Error ? [cause.message, stateOf(cause)].join('\n') : String(cause);
    await cleanUpAfterFailure(lab, world);
  }
  const seconds = Math.round((Date.now() - start) / 1000);
  lab.say(
    `${error === undefined ? 'passed' : 'FAILED'} ${scenario.name} (${seconds} s) ${error ?? JSON.stringify(measures)}`,
  );
  return {
    name: scenario.name,
    seconds,
    measures,
    usage: await usage(),
    ...(error !== undefined && { error }),
  };
}

const stateOf = ({ cause, stack = '' }: Error): string =>
  [stack.split('\n').slice(1, 4).join('\n'), cause === undefined ? '' : String(cause)].join('\n');

/** Checks that every instance has a claim; a launch may be in progress between the two reads. */
async function checkNothingLeaked(world: World): Promise<void> {
  await waitUntil(
    `a claim for each instance of ${world.id}`,
    async () => {
      const instances = await world.instances();
      const claims = new Set((await world.claims()).map(({ providerId }) => providerId.split('/').at(-1)));
      return instances.every((id) => claims.has(id));
    },
    { timeoutMs: 30_000, everyMs: 1_000 },
  );
}

/** Deletes pods and pool: all nodes must then disappear, and no finalizer may block that. */
async function deleteWorld(lab: Lab, world: World): Promise<void> {
  await lab.kubectl(['delete', 'namespace', world.id, '--wait=false']);
  await lab.kubectl(['delete', 'nodepool', world.id, '--ignore-not-found', '--wait=false']);
  await world.waitForNodes(0, 120_000);
}

/**
 * Cleans up after a failure, so that objects of this scenario do not disturb the next one or the
 * repetition.
 */
async function cleanUpAfterFailure(lab: Lab, world: World): Promise<void> {
  lab.rules.delay('none');
  lab.ec2.exhaust(() => false);
  lab.nodes.breakBoot(undefined);
  lab.hooks.fault('none');
  const deleteWithin = async (kind: string): Promise<unknown> =>
    lab.kubectl(['delete', kind, world.id, '--ignore-not-found', '--timeout=60s']);
  // An object that cannot be deleted fails the next check.
  for (const kind of ['namespace', 'nodepool']) await deleteWithin(kind).catch(() => undefined);
  await world.waitForNodes(0, 60_000).catch(() => undefined);
}
