import Table from 'cli-table3';
import { lowerBoundHourlyUsd } from '../../shared/scheduling/lower-bound.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from '../vectors/bundle.ts';
import { caseSchema, type VectorCase } from '../vectors/case-schema.ts';
import { checkPlan, placedPods } from '../vectors/check-plan.ts';
import { snapshotOf } from '../vectors/read-case.ts';

// Usage: node test/benchmarks/scheduling.ts [--check] [part of a case's name …]
const words = process.argv.slice(2);
const checks = words.includes('--check');
const parts = words.filter((word) => !word.startsWith('--'));

const WARM_RUNS = 5;

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);

const table = new Table({
  head: [
    'case',
    'cold ms',
    'warm ms',
    'pods/s cold',
    'pods/s warm',
    'placed',
    'nodes',
    '$/h',
    'to reference',
    'to bound',
    'heap MiB',
    ...(checks ? ['objections'] : []),
  ],
  style: { head: [], border: [] },
  colAligns: ['left'],
});
for (const vector of cases) {
  if (parts.length > 0 && !parts.some((part) => vector.name.includes(part))) continue;
  table.push(measure(vector));
}
process.stdout.write(`${table.toString()}\n`);

/** Cold: nothing of the snapshot was seen before. Warm: types, pods and pools are the same objects. */
function measure(vector: VectorCase): (string | number)[] {
  const snapshot = snapshotOf(vector, catalogs);
  const coldMs = timed(() => planProvisioning(snapshot, 'cold'));
  const warm = Array.from({ length: WARM_RUNS }, () =>
    timed(() => planProvisioning(snapshot, 'warm')),
  ).toSorted((a, b) => a - b);
  const warmMs = warm[Math.floor(WARM_RUNS / 2)] ?? Number.NaN;

  const plan = planProvisioning(snapshot, 'decision-1');
  const { stability } = vector.expected;
  const pods = snapshot.pods.length;
  const heapMib = process.memoryUsage().heapUsed / 2 ** 20;
  return [
    vector.name,
    coldMs.toFixed(0),
    warmMs.toFixed(0),
    Math.round((pods / coldMs) * 1000),
    Math.round((pods / warmMs) * 1000),
    `${placedPods(plan)} of ${pods}`,
    `${plan.claims.length} (${stability.newNodes.min})`,
    plan.hourlyUsd.toFixed(2),
    ratio(plan.hourlyUsd, stability.totalPrice.min),
    ratio(plan.hourlyUsd, lowerBoundHourlyUsd(snapshot)),
    heapMib.toFixed(0),
    ...(checks ? [checkPlan(snapshot, plan).length] : []),
  ];
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function ratio(usd: number, other: number): string {
  return `${((usd / other) * 100).toFixed(1)} %`;
}
