import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { readBundle } from '../bundle.ts';
import { createRandomCase, type RandomCaseOptions } from './random-case.ts';
import { createUnderusedCluster } from './underused-clusters.ts';
import type { Written } from './workloads.ts';

/**
 * `npm run --silent vectors -- random OUT [--seed N] [--cases N] [--consolidation]` writes random
 * situations as cases without answers: pending pods, or running clusters with unused room.
 */

const CATALOG = 'ec2-80';
const MAX_SEED = 1_000_000;

const catalogSchema = z.object({
  instanceTypes: z.array(
    z.looseObject({
      name: z.string(),
      requirements: z.record(z.string(), z.array(z.string())),
      capacity: z.record(z.string(), z.string()),
    }),
  ),
});

const USAGE = `Usage: npm run --silent vectors -- random OUT [--seed N] [--cases N] [--consolidation]
  OUT              folder to write to
  --seed N         whole number; equal seeds give equal cases. Default: a new one, which is printed
  --cases N        how many cases, 70 by default
  --consolidation  running clusters with unused room, instead of pending pods
`;

interface Arguments {
  readonly folder: string;
  readonly seed: number;
  readonly cases: number;
  readonly isConsolidation: boolean;
}

/** @throws Error - an argument is wrong */
function readArguments(): Arguments | 'help' {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: `${Date.now() % MAX_SEED}` },
      cases: { type: 'string', default: '70' },
      consolidation: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [folder, ...excess] = positionals;
  if (folder === undefined || excess.length > 0) throw new Error(`expected is one folder, not ${positionals.length}`);
  const [seed, cases] = [toWholeNumber('--seed', values.seed), toWholeNumber('--cases', values.cases)];
  return { folder, seed, cases, isConsolidation: values.consolidation };
}

function toWholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${flag} "${text}" is no whole number of at most nine digits`);
}

function run(): void {
  const given = readArgumentsOrExplain();
  if (given === 'refused') return;
  if (given === 'help') return void process.stdout.write(USAGE);
  const { folder, seed, cases, isConsolidation } = given;
  writeCases(folder, seed, cases, isConsolidation ? createUnderusedCluster : createRandomCase);
  process.stdout.write(`${JSON.stringify({ seed, cases })}\n`);
}

function readArgumentsOrExplain(): Arguments | 'help' | 'refused' {
  try {
    return readArguments();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`error: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return 'refused';
  }
}

function writeCases(
  to: string,
  seed: number,
  cases: number,
  createCase: (options: RandomCaseOptions) => Written,
): void {
  const bundle = readBundle(new URL('../data/scheduling.json.gz', import.meta.url), z.unknown());
  const catalog = bundle.catalogs(CATALOG);
  const { instanceTypes: types } = catalogSchema.parse(catalog);
  mkdirSync(join(to, 'catalogs'), { recursive: true });
  writeFileSync(join(to, 'catalogs', `${CATALOG}.json`), JSON.stringify(catalog));
  for (let index = 0; index < cases; index++) {
    const written = createCase({ seed, index, catalog: CATALOG, types });
    writeFileSync(join(to, `${written.name}.json`), JSON.stringify(written));
  }
}

run();
