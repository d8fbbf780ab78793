import { describe, expect, it } from 'vitest';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { listBenchmarkInputs } from '../benchmarks/inputs/inputs.ts';
import { readFigures, readPage } from '../docs/table-rows.ts';
import { readBundle } from './bundle.ts';
import { type CaseResult, evaluateCase } from './case-result.ts';
import { caseSchema } from './case-schema.ts';
import { toSnapshot } from './read-case.ts';
import { createReport } from './report.ts';
import { toWrittenPlan } from './written-plan.ts';

const { cases, catalogs } = readBundle(new URL('./data/scheduling.json.gz', import.meta.url), caseSchema);
/** Prices are sums of many numbers, so the last digits differ. */
const ROUNDING = 1 + 1e-9;
const PAGE = readPage('docs/benchmarks.md');

describe('scheduling compared with Karpenter 1.14.1', () => {
  const results: CaseResult[] = [];

  it.each(cases)('$name: the plan is valid, places as many pods and costs no more', (vector) => {
    const snapshot = toSnapshot(vector, catalogs);
    const result = evaluateCase(vector, snapshot);
    results.push(result);
    const { plan, why } = result;

    expect(why).toEqual([]);
    expect(toWrittenPlan(snapshot, plan)).toMatchObject({ totalPrice: plan.hourlyUsd });
  });

  it.each([
    ['small ones by hand (136)', false],
    ['random (96)', true],
  ])('has the prices that the benchmarks page gives: %s', (row, isRandom) => {
    const report = createReport(results.filter((one) => one.case.startsWith('rnd-') === isRandom));
    const { median, total, max } = report.priceRatio;

    expect(readFigures(PAGE, row)).toEqual([report.passed, ...[median, total, max].map(toPrinted)]);
    if (isRandom) {
      const ratios = JSON.stringify({ median, max, total }).replaceAll(/[:,]/g, '$& ');
      expect(PAGE).toContain(`"priceRatio": ${ratios}, "nodeRatio": ${report.nodeRatio}`);
    }
  });

  it('gives a lower bound that no recorded decision undercuts', () => {
    for (const vector of cases) {
      const { stability, unschedulable } = vector.expected;
      // The bound does not cover free capacity on existing nodes, or unplaced pods.
      if (vector.nodes.length > 0 || Object.keys(unschedulable).length > 0) continue;
      const bound = computeFleetBound(toSnapshot(vector, catalogs));

      expect(bound, vector.name).toBeLessThanOrEqual(stability.totalPrice.min * ROUNDING);
    }
  });
});

describe("Karpenter's own benchmark, and large batches", () => {
  const ratios = listBenchmarkInputs().flatMap(({ name, snapshot, reference }) => {
    if (reference === undefined) return [];
    const { hourlyUsd, claims } = planProvisioning(snapshot(), 'decision-1');
    return [{ name, hourlyUsd, nodes: claims.length, reference }];
  });

  it('have the prices and nodes that the benchmarks page gives', () => {
    const own = ratios.filter(({ name }) => name.startsWith('bench-'));
    expect(own.length).toBeGreaterThan(3);
    for (const { name, hourlyUsd, nodes, reference } of own) {
      const [price, count] = readFigures(PAGE.slice(PAGE.indexOf('| Times faster')), `\`${name}\``).slice(-2);
      expect({ name, price, count }).toEqual({
        name,
        price: toPrinted(hourlyUsd / reference.hourlyUsd),
        count: Number((nodes / reference.nodes).toFixed(1)),
      });
    }
  });

  it('have the ratios of the page for the large batches together', () => {
    const large = ratios.filter(({ name }) => name.startsWith('large-'));
    const prices = large.map(({ hourlyUsd, reference }) => ({
      ours: hourlyUsd,
      reference: reference.hourlyUsd,
    }));
    const sorted = prices.map(({ ours, reference }) => ours / reference).toSorted((a, b) => a - b);
    const middle = sorted.slice(sorted.length / 2 - 1, sorted.length / 2 + 1);
    const median = middle.reduce((sum, ratio) => sum + ratio, 0) / middle.length;
    const sum = (of: 'ours' | 'reference'): number => prices.reduce((all, one) => all + one[of], 0);

    expect(readFigures(PAGE, `large (${large.length})`).slice(1)).toEqual(
      [median, sum('ours') / sum('reference'), sorted.at(-1)].map(toPrinted),
    );
  });
});

const toPrinted = (ratio: number | null | undefined): number => Number(ratio?.toFixed(2));
