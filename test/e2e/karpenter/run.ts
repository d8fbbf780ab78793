import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '../lab/progress.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';
import { buildSuite, type SuiteProgram } from './build-suite.ts';
import { findKnownSpec, isBad, type JudgedSpec, judgeSpec, renderTable } from './judge.ts';
import { type KarpenterLab, startKarpenterLab } from './karpenter-lab.ts';
import { DIFFERENT_BY_DESIGN, NOT_RUNNABLE } from './known-specs.ts';
import { readOptions } from './options.ts';
import { lastSpecLog, listSpecs, runSpec, type SuiteRun } from './run-spec.ts';
import { appendResult, readResults } from './stored-results.ts';
import { SUITES } from './suites.ts';

/**
 * `npm run e2e -- karpenter`: runs Karpenter's own end-to-end suites against Mortise in the lab. It
 * succeeds if exactly the specs fail that `known-specs.ts` lists. See docs/karpenter-suites.md.
 */
const options = readOptions(process.argv.slice(2));
const say = startProgress();

let current: KarpenterLab | undefined;
const openLab = async (): Promise<KarpenterLab> => {
  current ??= await startKarpenterLab(options.runtime, say);
  return current;
};
const closeLab = async (): Promise<void> => {
  await current?.end();
  current = undefined;
};

let isEnding = false;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    if (!isEnding) void closeLab().finally(() => process.exit(code));
    isEnding = true;
  });
}

const commit = (
  await runCommand({
    command: 'git',
    args: ['describe', '--always', '--dirty', '--abbrev=8'],
    cwd: REPOSITORY,
  })
).trim();

async function runSuite(suiteName: string): Promise<readonly JudgedSpec[]> {
  const suite = SUITES[suiteName];
  if (!suite) throw new Error(`no suite ${suiteName}`);
  const built = await buildSuite(suite, say);
  const first = await openLab();
  const { description, specs } = await listSpecs(first.lab, toRun(first, built, first.flags(suite, '')));
  const { index: part, count } = options.shard;
  const chosen = [...new Set(specs.map(({ name }) => name))]
    .filter((_, index) => index % count === part)
    .filter(
      (name) =>
        (suite.focus === undefined || suite.focus.test(name)) &&
        (options.focus === undefined || options.focus.test(name)),
    );
  const run = { suite: suiteName, runtime: options.runtime, timeout: options.timeout };
  const stored = options.results === undefined ? undefined : readResults(options.results, run);
  const judged: JudgedSpec[] = [];
  const addResult = (result: JudgedSpec): void => {
    judged.push(result);
    if (options.results !== undefined) appendResult(options.results, { ...run, commit, ...result });
  };
  for (const [index, name] of chosen.entries()) {
    const earlier = stored?.get(name);
    if (earlier) {
      judged.push(earlier);
      continue;
    }
    const id = { suite: suite.package, name, runtime: options.runtime };
    const excluded = findKnownSpec(NOT_RUNNABLE, id);
    if (excluded) {
      judged.push({ name, result: 'not run', seconds: 0, reason: excluded.reason });
      continue;
    }
    say(`${index + 1}/${chosen.length} ${name} ...`);
    const different = findKnownSpec(DIFFERENT_BY_DESIGN, id);
    const attempt = async (): Promise<JudgedSpec> => {
      const opened = await openLab();
      const spec = toRun(opened, built, opened.flags(suite, name));
      const timeout = different && !different.mayPass ? DIFFERENT_TIMEOUT : spec.timeout;
      const report = await runSpec(opened.lab, { ...spec, timeout }, { description, name });
      const result = judgeSpec(report, different);
      if (report.state === 'failed') {
        keepLogs(opened, `${suiteName}-${index + 1}`);
        if (!(await isEmpty(opened))) await closeLab();
      }
      return result;
    };
    let result = await attempt();
    say(`${result.result} ${name} (${result.seconds} s) ${result.reason ?? ''}`);
    if (result.result === 'failed' && options.isRepeating) {
      // Timing varies on a busy machine: a failure counts only if it repeats in a new lab.
      await closeLab();
      result = await attempt();
      say(`again: ${result.result} ${name} (${result.seconds} s) ${result.reason ?? ''}`);
    }
    addResult(result);
  }
  return judged;
}

/** A spec that is expected to fail fails by its timeout: no spec that passes takes so long. */
const DIFFERENT_TIMEOUT = '3m';

const LEFTOVERS = [
  '/api/v1/namespaces/default/pods',
  '/apis/karpenter.sh/v1/nodepools',
  '/apis/karpenter.sh/v1/nodeclaims',
  '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
];

/** True if a failed spec has deleted its objects, which the next spec expects. */
async function isEmpty({ lab }: KarpenterLab): Promise<boolean> {
  const lists = await Promise.all(LEFTOVERS.map((path) => lab.kube.list(path)));
  return lists.every(({ length }) => length === 0);
}

const toRun = ({ environment }: KarpenterLab, built: SuiteProgram, flags: readonly string[]): SuiteRun => ({
  built,
  flags,
  timeout: options.timeout,
  environment,
});

function keepLogs({ lab }: KarpenterLab, name: string): void {
  if (options.logs === undefined) return;
  const folder = join(options.logs, name);
  mkdirSync(folder, { recursive: true });
  for (const file of [lastSpecLog(lab), join(lab.folder, 'controller.log')]) {
    if (existsSync(file)) copyFileSync(file, join(folder, file.split('/').at(-1) ?? ''));
  }
}

const results = new Map<string, readonly JudgedSpec[]>();
let failure: unknown;
try {
  for (const suite of options.suites) results.set(suite, await runSuite(suite));
} catch (error) {
  failure = error;
  say(String(error));
}
await closeLab();
if (options.isJson) {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(results), null, 2)}\n`);
} else {
  for (const [suite, specs] of results) process.stdout.write(`${renderTable(suite, specs)}\n`);
}
const isGood = failure === undefined && ![...results.values()].flat().some(isBad);
process.exit(isGood ? 0 : 1);
