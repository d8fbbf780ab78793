import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type EventsReport, startEventsReport } from './events-report.ts';
import { findNamelessRequests } from './lab/kubernetes/audit-log.ts';
import { startProgress } from './lab/progress.ts';
import { CLUSTER, type Lab, startLab } from './lab/start-lab.ts';
import { deployWithNodeClass, waitForNodeClass } from './prepare-lab.ts';
import { runScenario, type ScenarioReport } from './run-scenario.ts';
import { GROUPS } from './scenarios/groups.ts';
import { coldStarts } from './usage.ts';

/**
 * `npm run e2e`: starts the real components that run on one machine, runs `cdk deploy`, then one
 * scenario after the other. Options: `--only <id>` (repeatable; also the scenarios whose ids begin with
 * it); `--keep` leaves the lab running
 * until Ctrl-C; `--latency aws` delays the functions' requests as a region does.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
    latency: { type: 'string' },
  },
});

const ids = GROUPS.flat().map(({ id }) => id);
const isChosen = (id: string): boolean => flags.only?.some((only) => id === only || id.startsWith(`${only}-`)) ?? true;
const unknown = flags.only?.filter((only) => !ids.some((id) => id.startsWith(only))) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`There is no scenario ${unknown.join(', ')}. There are: ${ids.join(', ')}.\n`);
  process.exit(2);
}

/** Runs the groups one after the other, and the scenarios of a group in parallel. */
async function runAll(within: Lab): Promise<readonly ScenarioReport[]> {
  const done: ScenarioReport[] = [];
  for (const group of GROUPS) {
    const chosen = group.filter(({ id }) => isChosen(id));
    done.push(...(await Promise.all(chosen.map((scenario) => runScenario(within, scenario)))));
  }
  return done;
}

/** @throws Error - requests of ours that audits could not attribute */
function checkRequests(requests: readonly unknown[]): void {
  const nameless = findNamelessRequests(requests);
  if (requests.length === 0) nameless.push('the audit log has no request of ours');
  if (nameless.length > 0) throw new Error(`nameless requests:\n${nameless.join('\n')}`);
  say(`${requests.length} requests to the API server name their sender`);
}

/**
 * Counts the watches that the API server ended because their client, which may also be a program of the
 * lab, did not read them. On a busy machine a burst of pods suffices: in a small cluster the API server
 * keeps ten events for a watch.
 */
async function countUnreadWatches({ kubectl }: Lab): Promise<number> {
  const metrics = await kubectl(['get', '--raw', '/metrics']);
  return [...metrics.matchAll(/^apiserver_terminated_watchers_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** @throws Error - Events that functions recorded never reached the API server */
function checkEvents({ missing, events, log }: EventsReport): void {
  if (missing.length > 0) throw new Error(`no Event in the API server has: ${missing.join(', ')}`);
  const counts = Object.entries(events).map(([reason, count]) => `${reason} ${count}`);
  say(`Events by reason: ${counts.join(', ')}`);
  const { lines, warn, error, minutes, repeated } = log;
  const levels = `${warn} WARN and ${error} ERROR, ${repeated.length} repeated`;
  say(`the functions logged ${lines} lines in ${minutes} min, ${levels}`);
}

/** Writes what `kubectl` and `mortise` need to use the lab, as a file for a shell. */
function writeEnvironment({ folder, controlPlane, awsEnvironment }: Lab): string {
  const file = join(folder, 'env');
  const variables = {
    ...awsEnvironment,
    KUBECONFIG: controlPlane.kubeconfig,
    MORTISE_CLUSTER: CLUSTER,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

/** Summarizes the errors in the functions' logs. */
async function summarizeErrors(within: Lab): Promise<string> {
  const lines = (await within.logs(0)).filter(({ text }) => /"level":"(ERROR|WARN)"|Error:/.test(text));
  return lines
    .slice(-40)
    .map(({ group, text }) => `${group.replace(/.*Mortise-lab-/, '').slice(0, 24)} ${text.slice(0, 600)}`)
    .join('\n');
}

const say = startProgress();

const lab = await startLab(say, flags.latency === 'aws' ? { latency: 'aws' } : {});
const MAX_END_MS = 15_000;
// A second signal must not interrupt the shutdown of the programs.
let isEnding = false;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    // A running scenario may block the shutdown; the remaining programs then end with this process.
    if (!isEnding) void Promise.race([lab.end(), sleep(MAX_END_MS)]).finally(() => process.exit(code));
    isEnding = true;
  });
}

let reports: readonly ScenarioReport[] = [];
let unreadWatches: number | undefined;
let eventsReport: EventsReport | undefined;
let failure: unknown;
try {
  await deployWithNodeClass(lab);
  await waitForNodeClass(lab);
  const endEvents = startEventsReport(lab);
  reports = await runAll(lab);
  eventsReport = await endEvents();
  checkEvents(eventsReport);
  unreadWatches = await countUnreadWatches(lab);
  checkRequests(lab.readAuditLog());
  lab.rights.check();
} catch (error) {
  failure = error;
}
const failed = reports.filter(({ error }) => error !== undefined);
process.stdout.write(
  `${JSON.stringify({ scenarios: reports, functions: coldStarts(lab), unreadWatches, eventsReport }, undefined, 2)}\n`,
);
for (const line of lab.rights.lines()) say(line);
if (failure !== undefined || failed.length > 0) {
  say(lab.tails());
  say(await summarizeErrors(lab));
}
if (failure !== undefined) say(`could not be run: ${failure instanceof Error ? failure.stack : String(failure)}`);
for (const { name, error } of failed) say(`FAILED ${name}: ${error}`);
say(`${reports.length - failed.length} passed, ${failed.length} failed`);
if (flags.keep) {
  say(`kept running: set -a; . ${writeEnvironment(lab)}; set +a`);
  await new Promise(() => undefined);
}
await lab.end();
process.exit(failure === undefined && failed.length === 0 ? 0 : 1);
