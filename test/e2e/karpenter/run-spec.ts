import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import type { SuiteProgram } from './build-suite.ts';
import { parseReport, type SpecReport, type SuiteReport } from './ginkgo-report.ts';

export interface SuiteRun {
  readonly built: SuiteProgram;
  /** Gomega's default timeout for `Eventually`, such as `15m`. */
  readonly timeout: string;
  /** Further flags of the test program. */
  readonly flags: readonly string[];
  /** Variables that the suite reads besides those of the lab. */
  readonly environment: Readonly<Record<string, string>>;
}

/** No spec needs more, whatever its timeouts are. */
const MAX_SPEC_MS = 60 * 60_000;

let runs = 0;

/** Lists the specs of a suite without running them. */
export const listSpecs = (lab: Lab, run: SuiteRun): Promise<SuiteReport> => runGinkgo(lab, run, ['--ginkgo.dry-run']);

/**
 * Runs one spec in a process of its own, so that its failure cannot affect the next one.
 *
 * @throws Error - the program ended without a report
 */
export async function runSpec(
  lab: Lab,
  run: SuiteRun,
  { description, name }: { readonly description: string; readonly name: string },
): Promise<SpecReport> {
  const focus = `^${escapeRegex(`${description} ${name}`)}$`;
  const { specs } = await runGinkgo(lab, run, [`--ginkgo.focus=${focus}`]);
  // Specs with the same name run together.
  const reports = specs.filter((spec) => spec.name === name);
  const report = reports.find(({ state }) => state === 'failed') ?? reports[0];
  if (!report) throw new Error(`the suite has no spec ${name}`);
  return report;
}

async function runGinkgo(
  lab: Lab,
  { built, timeout, flags, environment }: SuiteRun,
  more: readonly string[],
): Promise<SuiteReport> {
  runs += 1;
  const file = join(lab.folder, `report-${runs}.json`);
  const program = lab.programs.start({
    name: `spec-${runs}`,
    command: built.program,
    // Ginkgo shuffles the containers by its seed: every run has the same order.
    args: ['--ginkgo.v', '--ginkgo.no-color', '--ginkgo.seed=1', `--ginkgo.json-report=${file}`, ...flags, ...more],
    cwd: built.folder,
    environment: {
      ...lab.awsEnvironment,
      ...environment,
      KUBECONFIG: lab.controlPlane.kubeconfig,
      CLUSTER_NAME: CLUSTER,
      CLUSTER_ENDPOINT: lab.controlPlane.url,
      GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT: timeout,
      OUTPUT_DIR: lab.folder,
    },
  });
  await waitUntil('the spec to end', async () => program.hasEnded(), {
    timeoutMs: MAX_SPEC_MS,
    everyMs: 250,
  });
  if (!existsSync(file)) {
    throw new Error(`no report: ${readFileSync(program.logFile, 'utf8').slice(-2_000)}`);
  }
  return parseReport(readFileSync(file, 'utf8'));
}

/** For Go's regular expressions. */
const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The log of the last spec that ran. */
export const lastSpecLog = (lab: Lab): string => join(lab.folder, `spec-${runs}.log`);
