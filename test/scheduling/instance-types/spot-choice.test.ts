import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';
import { aCluster, aPool, CAPACITY, createPods, createStepTypes, need, requesting } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

/** With fewer offerings EC2 has little choice, and interrupts soon. */
const ENOUGH = 15;

const valuesOf = ({ claim }: PlannedClaim, key: string): readonly string[] =>
  claim.requirements.find((one) => one.key === key)?.values ?? [];

/** Spot offerings that the claim leaves open. */
function choiceOf(cluster: ClusterSnapshot, planned: PlannedClaim) {
  const zones = valuesOf(planned, ZONE_LABEL);
  if (!valuesOf(planned, CAPACITY).includes('spot')) return [];
  return cluster.offerings.filter(
    ({ instanceType, zone, capacityType }) =>
      capacityType === 'spot' &&
      zones.includes(zone) &&
      planned.claim.instanceTypes.includes(instanceType) &&
      !isDry(cluster, { instanceType, zone }),
  );
}

const isDry = (
  { unavailable, takenAt }: ClusterSnapshot,
  { instanceType, zone }: { instanceType: string; zone: string },
): boolean =>
  unavailable.some(
    (unavailableZones) =>
      unavailableZones.until > takenAt &&
      (unavailableZones.instanceType ?? instanceType) === instanceType &&
      (unavailableZones.zone ?? zone) === zone &&
      (unavailableZones.capacityType ?? 'spot') === 'spot',
  );

/** More expensive types that the claim could list as well. */
function leftOut(cluster: ClusterSnapshot, plan: ProvisioningPlan, planned: PlannedClaim) {
  const { claim, cheapest } = planned;
  return (cluster.instanceTypes[claim.pool] ?? []).filter(({ name }) => {
    if (claim.instanceTypes.includes(name)) return false;
    const wider = listing(planned, name);
    const choice = choiceOf(cluster, wider).filter(({ instanceType }) => instanceType === name);
    if (choice.length === 0) return false;
    if (choice.some(({ hourlyUsd }) => hourlyUsd < cheapest.hourlyUsd)) return false;
    const claims = plan.claims.map((one) => (one === planned ? wider : one));
    return checkPlan(cluster, { ...plan, claims }).every((one) => one.endsWith(OUT_OF_ORDER));
  });
}

const OUT_OF_ORDER = 'its types are not in the order of their prices';

const listing = (planned: PlannedClaim, type: string): PlannedClaim => ({
  ...planned,
  claim: {
    ...planned.claim,
    instanceTypes: [...planned.claim.instanceTypes, type],
    requirements: planned.claim.requirements.map((one) =>
      one.key === INSTANCE_TYPE_LABEL ? { ...one, values: [...(one.values ?? []), type] } : one,
    ),
  },
});

describe('the spot offerings of a claim', () => {
  it('share what limits leave between the claims', () => {
    // Two nodes of 4 CPUs are enough; what is left of the limit is less than both could use.
    const requirements = [need(CAPACITY, 'In', 'spot')];
    const pools = [aPool({ requirements, limits: { cpu: 26_000 } })];
    const cluster = aCluster({ types: createStepTypes(30), pools });
    const hostPorts = [{ port: 80, protocol: 'TCP', ip: '' }];
    const { plan } = provision(cluster, ...createPods(2, 'a', { requests: requesting(3.5), hostPorts }));
    const choices = plan.claims.map((planned) => choiceOf(cluster, planned).length);

    expect(choices).toHaveLength(2);
    expect(Math.min(...choices)).toBeGreaterThanOrEqual(ENOUGH);
  });

  it('are as many as possible if fewer than fifteen exist', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const plan = planProvisioning(cluster, 'decision-1');
        const narrow = plan.claims.filter((planned) => {
          const { length } = choiceOf(cluster, planned);
          return length > 0 && length < ENOUGH;
        });

        expect(narrow.flatMap((planned) => leftOut(cluster, plan, planned))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
