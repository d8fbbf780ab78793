import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { simulateKarpenterFor } from '../support/simulated-karpenter.ts';
import { readBundle } from './bundle.ts';
import { caseSchema } from './case-schema.ts';
import { toSnapshot } from './read-case.ts';

const { cases, catalogs } = readBundle(new URL('./data/scheduling.json.gz', import.meta.url), caseSchema);
const random = cases.filter(({ name }) => name.startsWith('rnd-'));

const RUNS = 12;

/**
 * Some simulated runs pick a zone without spot capacity and end up cheaper. None of the 15 recorded
 * runs did.
 */
const CHEAPER_RUNS = ['rnd-005-scarce'];

describe('the simulation of Karpenter 1.14.1', () => {
  const runsByCase = new Map(random.map((one) => [one, simulateKarpenterFor(toSnapshot(one, catalogs), RUNS)]));

  it('places as many pods as recorded', () => {
    const mismatches = [...runsByCase].filter(([{ expected }, runs]) =>
      runs.every(({ pods }) => pods !== expected.stability.scheduledPods.max),
    );

    expect(mismatches.map(([{ name }]) => name)).toEqual([]);
  });

  it('pays the best recorded price within 2 % in its cheapest run', () => {
    const mismatches = [...runsByCase].filter(([{ expected }, runs]) => {
      const usd = Math.min(...runs.map(({ hourlyUsd }) => hourlyUsd));
      const { min } = expected.stability.totalPrice;
      return Math.abs(usd - min) > min * 0.02;
    });

    expect(mismatches.map(([{ name }]) => name)).toEqual(CHEAPER_RUNS);
  });

  it('pays the recorded price to a hundredth of a cent if nothing depends on map order', () => {
    const deterministic = [...runsByCase].filter(([, runs]) => runs.length === 1);
    const mismatches = deterministic.filter(
      ([{ expected }, [run]]) => Math.abs((run?.hourlyUsd ?? 0) - expected.totalPrice) > 1e-4,
    );

    expect(deterministic).toHaveLength(40);
    expect(mismatches.map(([{ name }]) => name)).toEqual([]);
  });

  it('is an upper limit for the price of our plan, even if Karpenter fills running nodes better', () => {
    const pendingByApp: Readonly<Record<string, number>> = { 'web-0': 5, 'web-5': 2, 'web-7': 13 };
    const [original] = random.filter(({ name }) => name === 'rnd-027-mixed');
    const snapshot = original && toSnapshot(original, catalogs);
    const pods = snapshot?.pods.filter(({ name, nodeName }) => {
      const [app = '', number = ''] = name.split(/-(?=\d+$)/);
      return nodeName !== undefined || Number(number) < (pendingByApp[app] ?? 0);
    });
    const reduced = snapshot && pods && { ...snapshot, pods };
    const usd = reduced ? simulateKarpenterFor(reduced, RUNS).map(({ hourlyUsd }) => hourlyUsd) : [];

    expect(reduced && planProvisioning(reduced, 'decision-1').hourlyUsd).toBeLessThanOrEqual(Math.min(...usd));
  });
});
