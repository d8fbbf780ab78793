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
  /** Why it was told twice: everything runs on few processors here, and clocks are real. */
  readonly firstError?: string;
}

/** A story that fails gets a second try, which its report names. */
export async function runScenario(lab: Lab, scenario: Scenario): Promise<ScenarioReport> {
  const first = await tryScenario(lab, scenario);
  if (first.error === undefined || scenario.isOnce === true) return first;
  return { ...(await tryScenario(lab, scenario)), firstError: first.error };
}

/** Runs one story, and takes its pool away: then nothing of it may be left. */
async function tryScenario(lab: Lab, scenario: Scenario): Promise<ScenarioReport> {
  const start = Date.now();
  const usage = startUsage(lab);
  const world = await createWorld(lab, scenario.id);
  lab.say(`${scenario.name} ...`);
  let measures: Measures = {};
  let error: string | undefined;
  try {
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

/** Every instance has a claim; a launch may be on its way between the two looks. */
async function checkNothingLeaked(world: World): Promise<void> {
  await waitUntil(
    `a claim for each instance of ${world.id}`,
    async () => {
      const instances = await world.instances();
      const claims = new Set(
        (await world.claims()).map(({ providerId }) => providerId.split('/').at(-1)),
      );
      return instances.every((id) => claims.has(id));
    },
    { timeoutMs: 30_000, everyMs: 1_000 },
  );
}

/** Without pods and pool there is no reason for a node: none may stay, and no finalizer hold it. */
async function deleteWorld(lab: Lab, world: World): Promise<void> {
  await lab.kubectl(['delete', 'namespace', world.id, '--wait=false']);
  await lab.kubectl(['delete', 'nodepool', world.id, '--ignore-not-found', '--wait=false']);
  await world.hasNodes(0, 120_000);
}

/** After a failure, so that neither the next story nor a second try finds anything of it. */
async function cleanUpAfterFailure(lab: Lab, world: World): Promise<void> {
  lab.ec2.exhaust(() => false);
  lab.hooks.fault('none');
  const deleteWithin = async (kind: string): Promise<unknown> =>
    lab.kubectl(['delete', kind, world.id, '--ignore-not-found', '--timeout=60s']);
  // What cannot be taken away is what the next look will complain of.
  for (const kind of ['namespace', 'nodepool']) await deleteWithin(kind).catch(() => undefined);
  await world.hasNodes(0, 60_000).catch(() => undefined);
}
