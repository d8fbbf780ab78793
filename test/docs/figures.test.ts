import { describe, expect, it } from 'vitest';
import { readSection } from './readme/sections.ts';
import { readFigures, readPage } from './table-rows.ts';

/**
 * Figures that several pages name, compared with the table that has them. `test/docs/cost.test.ts` has the dollars,
 * and `test/vectors/scheduling.long.test.ts` compares the tables of prices with plans.
 */

const flow = (path: string): string => readPage(path).replaceAll(/\s+/g, ' ');
const BENCHMARKS = readPage('docs/benchmarks.md');
const inBenchmarks = (row: string): readonly number[] => readFigures(BENCHMARKS, row);

const percentLess = (ratio: number): number => Math.round((1 - ratio) * 100);

describe('the savings in the questions', () => {
  it('are those of the recorded batches', () => {
    const totals = ['random (96)', 'large (4)'].map((row) => inBenchmarks(row)[2] ?? Number.NaN);
    const [min, max] = totals.map(percentLess).toSorted((a, b) => a - b);

    expect(flow('docs/faq.md')).toContain(
      `For the recorded batches of new pods, the plans cost ${min} to ${max} % less in total than the cheapest of 25 runs of Karpenter.`,
    );
  });

  it('are those of two simulated days', () => {
    const savings = ['karpenter', 'karpenter-balanced'].flatMap((policy) =>
      ['generic', 'spread'].map((mix) => {
        const [ours = 0, theirs = 0] = ['mortise', policy].map(
          (rules) => inBenchmarks(`\`${mix}\`, \`${rules}\``)[0] ?? Number.NaN,
        );
        return percentLess(ours / theirs);
      }),
    );
    const [min] = savings.toSorted((a, b) => a - b);

    expect(flow('docs/faq.md')).toContain(
      `over two simulated days, the nodes cost ${min} to ${Math.max(...savings)} % less`,
    );
  });
});

describe('the simulated day', () => {
  it('has the same figures in the README and in the benchmarks', () => {
    const day = readSection(readPage('README.md'), 'day');
    const [toBound, evictions] = inBenchmarks('default');
    const row = BENCHMARKS.split('\n').find((line) => line.startsWith('| default |')) ?? '';
    const [p50, p10] =
      row
        .split('|')
        .at(-2)
        ?.trim()
        .replaceAll(/ (?:h|min)/g, (unit) => unit.trim().slice(0, 1))
        .replaceAll('h ', 'h')
        .split(', ') ?? [];

    expect(day).toContain(`(+${toBound} %)   requested`);
    expect(day).toContain(`${evictions?.toFixed(2)} evictions per pod and day`);
    expect(day).toMatch(new RegExp(`lived p50 ${p50}\\d*s?, p10 ${p10}\\d*s?`));
    const toRepacked = /re-packed each hour .*\(\+([\d.]+) %\)/.exec(day)?.[1];
    expect(flow('docs/benchmarks.md')).toContain(`the default ${toRepacked} % more than re-packing`);
  });
});

it('The cost page has the measured steady state of DynamoDB.', () => {
  const [dollars] = /\(\$[\d.]+ in a month\)/.exec(BENCHMARKS) ?? [];

  expect(flow('docs/cost.md')).toContain(`[${dollars?.slice(1).split(' ')[0]} a month](benchmarks.md`);
});

describe('the sizes of records', () => {
  it('are those of the benchmark where the cost is computed', () => {
    // Pods, first record, CPU, later record.
    const [, first = 0, , later] = inBenchmarks('1,000');

    expect(flow('docs/cost.md')).toContain(
      `60,000 records of ${later} kB, 2,000 frames of ${(first / 1000).toFixed(1)} MB`,
    );
  });
});

describe("the specs of Karpenter's suites", () => {
  const [, results = ''] = readPage('docs/karpenter-suites.md').split('## Results of 1.15\n');
  const rows = results
    .slice(0, results.indexOf('\n## '))
    .split('\n')
    .flatMap((line) => {
      const [, suite = '', specs = '', ...cells] = line.split('|').map((cell) => cell.trim());
      const counts = cells
        .slice(0, 4)
        .join(' ')
        .replaceAll(/\(#.*?\)/g, '');
      return /^\d+$/.test(specs)
        ? [{ suite, specs: Number(specs), counts: (counts.match(/\d+/g) ?? []).map(Number) }]
        : [];
    });

  it('add up in each suite', () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const { suite, specs, counts } of rows)
      expect({ suite, specs: counts.reduce((sum, count) => sum + count, 0) }).toEqual({ suite, specs });
  });

  it('are those of the questions', () => {
    const core = rows.find(({ suite }) => suite === 'core: regression');

    expect(flow('docs/faq.md')).toContain(`${core?.counts[0]} of ${core?.specs} core regression specs pass`);
  });
});

describe('the output of `npm run vectors` in the benchmarks', () => {
  it('has the figures of the table', () => {
    const sample = /"priceRatio": \{"median": ([\d.]+), "max": ([\d.]+), "total": ([\d.]+)\}/;
    const [, median, highest, total] = sample.exec(BENCHMARKS)?.map(Number) ?? [];
    const rounded = [median, total, highest].map((ratio) => Number(ratio?.toFixed(2)));

    expect(inBenchmarks('random (96)').slice(1)).toEqual(rounded);
    const nodes = /"nodeRatio": ([\d.]+)/.exec(BENCHMARKS)?.[1];
    expect(flow('docs/benchmarks.md')).toContain(
      `the random cases have ${Number(nodes).toFixed(2)} times the nodes of Karpenter at ${rounded[1]} of its price`,
    );
  });
});
