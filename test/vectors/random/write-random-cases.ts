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
 * situations as cases without answers: pending pods, or running clusters with unused room. Equal seeds give equal cases. Without a seed, the seed is new and is printed.
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

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    cases: { type: 'string', default: '70' },
    consolidation: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('Usage: npm run --silent vectors -- random OUT [--seed N] [--cases N] [--consolidation]\n');
  process.exitCode = 2;
} else {
  const seed = Number(values.seed ?? Date.now() % MAX_SEED);
  const createCase = values.consolidation ? createUnderusedCluster : createRandomCase;
  writeCases(folder, seed, Number(values.cases), createCase);
  process.stdout.write(`${JSON.stringify({ seed, cases: Number(values.cases) })}\n`);
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
