import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import type { Bundle } from './bundle.ts';
import { type CaseResult, evaluateCase } from './case-result.ts';
import { caseSchema, consolidationSchema, type Situation, type VectorCase } from './case-schema.ts';
import { evaluateConsolidation } from './consolidation/consolidation-result.ts';
import { type ConsolidationReport, createConsolidationReport } from './consolidation/report.ts';
import { toSnapshot } from './read-case.ts';
import { readFolder, UnreadableVectorsError } from './read-folder.ts';
import { createReport, type VectorReport } from './report.ts';
import { toWrittenPlan } from './written-plan.ts';

/**
 * `npm run --silent vectors -- scheduling DIR [--json] [--plans OUT]` plans each case of a folder
 * and compares it with the case's recorded answer; `consolidation` does so with running clusters.
 * `random` writes random cases (random/write-random-cases.ts).
 * Exit code 0 if all cases pass, 1 if one fails, 2 if something cannot be read.
 */

const USAGE =
  'Usage: npm run --silent vectors -- scheduling DIR [--json] [--plans OUT]\n' +
  '       npm run --silent vectors -- consolidation DIR [--json]\n' +
  '       npm run --silent vectors -- random OUT [--seed N] [--cases N] [--consolidation]';

if (process.argv[2] === 'random') {
  process.argv.splice(2, 1);
  await import('./random/write-random-cases.ts');
} else runCases();

function runCases(): void {
  try {
    const { decision, folder, json, plans } = readArguments();
    const report = decision === 'consolidation' ? runConsolidation(folder) : runScheduling(folder, plans);

    process.stdout.write(`${JSON.stringify(report, null, json ? 0 : 2)}\n`);
    process.exitCode = report.failed.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnreadableVectorsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function runScheduling(folder: string, plans: string | undefined): VectorReport {
  const bundle = readFolder(folder, 'scheduling', caseSchema);
  if (plans !== undefined) mkdirSync(plans, { recursive: true });
  return createReport(bundle.cases.map((vector) => runCase(vector, bundle, plans)));
}

function runConsolidation(folder: string): ConsolidationReport {
  const { cases, catalogs } = readFolder(folder, 'consolidation', consolidationSchema);
  return createConsolidationReport(
    cases.map((vector) => evaluateConsolidation(vector, readSnapshot(vector, catalogs))),
  );
}

interface Arguments {
  readonly decision: 'scheduling' | 'consolidation';
  readonly folder: string;
  readonly json: boolean;
  readonly plans: string | undefined;
}

/**
 * @throws UnreadableVectorsError - if the arguments are invalid
 */
function readArguments(): Arguments {
  const { positionals, values } = parseFlags();
  const [decision, folder, ...more] = positionals;
  const isKnown = decision === 'scheduling' || (decision === 'consolidation' && !values.plans);
  if (!isKnown || folder === undefined || more.length > 0) {
    throw new UnreadableVectorsError(USAGE);
  }
  return { decision, folder, json: values.json, plans: values.plans };
}

function parseFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, plans: { type: 'string' } },
    });
  } catch (cause) {
    throw new UnreadableVectorsError(USAGE, { cause });
  }
}

/**
 * @param plans - folder for the plan as `NAME.json`; undefined: the plan is not written
 */
function runCase(vector: VectorCase, { catalogs }: Bundle<VectorCase>, plans: string | undefined): CaseResult {
  const snapshot = readSnapshot(vector, catalogs);
  const judgement = evaluateCase(vector, snapshot);
  if (plans !== undefined) writePlan(join(plans, `${vector.name}.json`), snapshot, judgement.plan);
  return judgement;
}

function readSnapshot(vector: Situation, catalogs: (name: string) => unknown): ClusterSnapshot {
  try {
    return toSnapshot(vector, catalogs);
  } catch (cause) {
    if (cause instanceof UnreadableVectorsError) throw cause;
    const reason = cause instanceof Error ? cause.message : `${cause}`;
    throw new UnreadableVectorsError(`The objects of ${vector.name} cannot be read: ${reason}`, {
      cause,
    });
  }
}

function writePlan(file: string, snapshot: ClusterSnapshot, plan: ProvisioningPlan): void {
  writeFileSync(file, `${JSON.stringify(toWrittenPlan(snapshot, plan), null, 2)}\n`);
}
