import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Labels } from '../../shared/model/labels.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../shared/model/labels.ts';
import { listSteeringTaints } from '../../shared/model/nodes/steering-taints.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import type { PlannedClaim } from '../../shared/model/plans.ts';
import type { Taint } from '../../shared/model/requirements/taints.ts';
import type { Resources } from '../../shared/model/resources.ts';
import { listClaimVariants } from './checker/node-variants.ts';

/** A planned claim as kube-scheduler finds it: launched at its cheapest offering, and ready. */
export interface LaunchedNode {
  readonly name: string;
  readonly offering: Offering;
  readonly labels: Labels;
  /** Without startup taints. */
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly capacity: Resources;
}

/**
 * @throws Error - if the plan names an offering that the claim does not allow
 */
export function toLaunchedNode(snapshot: ClusterSnapshot, { claim, cheapest }: PlannedClaim): LaunchedNode {
  const variant = listClaimVariants(snapshot, claim).find(
    ({ offering }) =>
      offering?.instanceType === cheapest.instanceType &&
      offering.zone === cheapest.zone &&
      offering.capacityType === cheapest.capacityType,
  );
  if (!variant) throw new Error(`${claim.name} cannot be launched as its cheapest offering`);
  return {
    name: claim.name,
    offering: cheapest,
    labels: { ...variant.labels, [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' },
    taints: [...claim.taints, ...listSteeringTaints(claim)],
    allocatable: variant.allocatable,
    capacity: variant.capacity,
  };
}
