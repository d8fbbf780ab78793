import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from '../../vectors/bundle.ts';
import { caseSchema } from '../../vectors/case-schema.ts';
import { toSnapshot } from '../../vectors/read-case.ts';
import { replayOffline } from '../../vectors/replay/replay-offline.ts';

const { cases, catalogs } = readBundle(new URL('../../vectors/data/scheduling.json.gz', import.meta.url), caseSchema);

/** Prices are sums of many numbers, so the last digits differ. */
const ROUNDING = 1 + 1e-9;

function planRecorded(name: string) {
  const vector = cases.find((one) => one.name === name);
  if (!vector) throw new Error(`no case ${name}`);
  const snapshot = toSnapshot(vector, catalogs);
  return { snapshot, vector, plan: planProvisioning(snapshot, 'decision-1') };
}

describe('repairPlan', () => {
  it('prefers few large nodes among the packings that bind', () => {
    const { plan, vector } = planRecorded('rnd-052-existing');

    expect(plan.claims).toHaveLength(1);
    expect(plan.hourlyUsd).toBeLessThanOrEqual(vector.expected.stability.totalPrice.min * ROUNDING);
  });

  it('promises fewer pods if limits leave pods out anyway, but more than Karpenter places', () => {
    const { plan, vector, snapshot } = planRecorded('rnd-094-limits');

    const { placed, unbound } = replayOffline(vector.name, snapshot, plan);
    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
    expect(placed).toBeGreaterThan(vector.expected.stability.scheduledPods.max);
  });
});
