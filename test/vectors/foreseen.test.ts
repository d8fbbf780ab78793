import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { foreseenOf } from '../support/foreseen.ts';
import { readBundle } from './bundle.ts';
import { caseSchema } from './case-schema.ts';
import { snapshotOf } from './read-case.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);
const random = cases.filter(({ name }) => name.startsWith('rnd-'));

const RUNS = 12;

/** Of more than twelve nodes, Go's sort lets equal ones change places; ours does not. */
const BY_SORT = ['rnd-049-spread'];

/** Now and then a zone without spot is drawn here, and more nodes turn out cheaper: not in 15 runs. */
const LUCKIER = ['rnd-005-scarce'];

describe('Karpenter 1.14.1, foreseen', () => {
  const foreseen = new Map(random.map((one) => [one, foreseenOf(snapshotOf(one, catalogs), RUNS)]));

  it('finds a place for as many pods as were recorded', () => {
    const others = [...foreseen].filter(([{ expected }, runs]) =>
      runs.every(({ pods }) => pods !== expected.stability.scheduledPods.max),
    );

    expect(others.map(([{ name }]) => name)).toEqual([]);
  });

  it('pays at best what it paid in the best of the recorded runs, within 2 %', () => {
    const others = [...foreseen].filter(([{ expected }, runs]) => {
      const usd = Math.min(...runs.map(({ hourlyUsd }) => hourlyUsd));
      const { min } = expected.stability.totalPrice;
      return Math.abs(usd - min) > min * 0.02;
    });

    expect(others.map(([{ name }]) => name)).toEqual(LUCKIER);
  });

  it('pays the very same where nothing is drawn, to a hundredth of a cent', () => {
    const settled = [...foreseen].filter(([, runs]) => runs.length === 1);
    const others = settled.filter(
      ([{ expected }, [run]]) => Math.abs((run?.hourlyUsd ?? 0) - expected.totalPrice) > 1e-4,
    );

    expect(settled).toHaveLength(40);
    expect(others.map(([{ name }]) => name)).toEqual(BY_SORT);
  });

  it('is what a plan costs at most, even where it fills running nodes better than we would', () => {
    const left: Readonly<Record<string, number>> = { 'web-0': 5, 'web-5': 2, 'web-7': 13 };
    const [whole] = random.filter(({ name }) => name === 'rnd-027-mixed');
    const snapshot = whole && snapshotOf(whole, catalogs);
    const pods = snapshot?.pods.filter(({ name, nodeName }) => {
      const [app = '', number = ''] = name.split(/-(?=\d+$)/);
      return nodeName !== undefined || Number(number) < (left[app] ?? 0);
    });
    const some = snapshot && pods && { ...snapshot, pods };
    const usd = some ? foreseenOf(some, RUNS).map(({ hourlyUsd }) => hourlyUsd) : [];

    expect(some && planProvisioning(some, 'decision-1').hourlyUsd).toBeLessThanOrEqual(
      Math.min(...usd),
    );
  });
});
