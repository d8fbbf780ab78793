import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { createWorkMeter } from '../../../shared/scheduling/data-structures/work-meter.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { listHostileInputs } from '../../benchmarks/inputs/hostile/hostile-inputs.ts';
import { aSpread, isOrdinary } from '../../benchmarks/inputs/hostile/hostile-pods.ts';
import { aPodSpec, aSnapshot, podsOf } from '../../support/builders.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';

const listPlaced = ({ claims, placements }: ProvisioningPlan): readonly string[] =>
  [...claims, ...placements].flatMap(({ pods }) => pods);

/** The first reason of each group of unplaced pods, as text. */
const listReasons = ({ unplaced }: ProvisioningPlan): readonly string[] =>
  unplaced.flatMap(({ pools }) => pools.slice(0, 1).map(({ reasons: [first] }) => (first ? formatReason(first) : '')));

/** A plan of these operations takes less than ten seconds on the machines of the benchmarks. */
const MAX_OPERATIONS = 95_000_000;

/** Inputs whose plans take up to two seconds; the long tests plan all of them. */
const SHORT_INPUTS = [
  'preferences-100x100',
  'match-label-keys-500',
  'affinity-cycle-400',
  'anti-affinity-2x200',
  'ports-equal-200x100',
  'ephemeral-volumes-500x20',
  'stuck-500',
];

describe('a plan for pods with extreme rules', () => {
  it.each(SHORT_INPUTS)('places the ordinary pods beside %s', { timeout: 60_000 }, (name) => {
    const work = createWorkMeter();
    const input = listHostileInputs().find((one) => one.name === name);
    const snapshot = input?.snapshot() ?? aSnapshot();
    const plan = planProvisioning(snapshot, 'decision-1', { work });

    expect(listPlaced(plan).filter(isOrdinary)).toHaveLength(50);
    expect(work.spent()).toBeLessThan(MAX_OPERATIONS);
  });

  it('refuses a pod with thousands of node terms and places the others', () => {
    const requiredNodeTerms = Array.from({ length: 3_500 }, (_, index) => [
      { key: ZONE_LABEL, operator: 'NotIn' as const, values: [`zone-${index}`] },
    ]);
    const [extreme] = podsOf(1, { name: 'extreme', spec: aPodSpec({ requiredNodeTerms }) });
    const plan = planProvisioning(aSnapshot({ pods: [...(extreme ? [extreme] : []), ...podsOf(2)] }), 'decision-1');

    expect(listPlaced(plan)).toEqual(['default/web-1', 'default/web-2']);
    expect(listReasons(plan)).toEqual([
      'not planned: it needs 7000 alternatives (required node terms times steps of preferences), and 2000 are allowed; use fewer node selector terms, spreads, affinities or host ports',
    ]);
  });

  it('refuses a pod whose spreads have too many combinations of domains', () => {
    const input = listHostileInputs().find(({ name }) => name === 'spreads-replicas-200x6');
    const snapshot = input?.snapshot() ?? aSnapshot();
    const pods = snapshot.pods.filter(({ namespace }) => namespace === 'hostile').slice(0, 3);
    const plan = planProvisioning({ ...snapshot, pods }, 'decision-1');

    expect(listPlaced(plan)).toEqual([]);
    expect(listReasons(plan)).toEqual([expect.stringContaining('operations, and 4000000 are allowed')]);
  });
});

describe('a plan that exceeds its work limit', () => {
  /** Each pod of its own workload and class, in one crowded namespace; two pods in another. */
  const snapshot: ClusterSnapshot = aSnapshot({
    namespaces: { crowded: {}, shop: {} },
    pods: [
      ...Array.from({ length: 60 }, (_, index) =>
        podsOf(1, {
          namespace: 'crowded',
          name: `crowded-${index}`,
          labels: { app: `crowded-${index}` },
          spec: aPodSpec({
            topologySpread: [aSpread(ZONE_LABEL, `crowded-${index}`), aSpread(HOSTNAME_LABEL, `crowded-${index}`)],
          }),
        }),
      ).flat(),
      ...podsOf(2, { namespace: 'shop', labels: { app: 'shop' } }),
    ],
  });
  const planWith = (attemptLimit: number) => planProvisioning(snapshot, 'decision-1', { attemptLimit });

  it('places the pods of each namespace in turn and leaves the others to the next plan', () => {
    const work = createWorkMeter();
    planProvisioning(snapshot, 'decision-1', { work });
    const plan = planWith(work.spent() / 40);
    const placed = listPlaced(plan);

    expect(placed).toEqual(expect.arrayContaining(['shop/web-1', 'shop/web-2']));
    expect(placed.length).toBeLessThan(62);
    expect(plan.unplaced.at(-1)).toMatchObject({
      waits: true,
      pools: [{ reasons: [{ code: 'next-plan' }] }],
    });
    expect(placed.length + plan.unplaced.flatMap(({ pods }) => pods).length).toBe(62);
  });

  it('is the same each time', () => {
    expect(planWith(100_000)).toEqual(planWith(100_000));
  });

  it('leaves all pods to the next plan if not even one can be planned', () => {
    const plan = planWith(1);

    expect(listPlaced(plan)).toEqual([]);
    expect(plan.unplaced).toMatchObject([{ waits: true }]);
  });

  it('is valid, whatever the limit', () => {
    fc.assert(
      fc.property(anyCluster(), fc.integer({ min: 1, max: 17 }), (cluster, exponent) => {
        const plan = planProvisioning(cluster, 'decision-1', { attemptLimit: 3 ** exponent });

        expect(checkPlan(cluster, plan)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
