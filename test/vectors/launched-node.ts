import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import type { Labels } from '../../shared/model/labels.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../shared/model/labels.ts';
import type { PlannedClaim } from '../../shared/model/plans.ts';
import type { Resources } from '../../shared/model/resources.ts';
import type { Taint } from '../../shared/model/requirements/taints.ts';
import { listClaimVariants } from './checker/node-variants.ts';

/** A planned claim as kube-scheduler finds it: launched as its cheapest offering, and ready. */
export interface LaunchedNode {
  readonly name: string;
  readonly offering: Offering;
  readonly labels: Labels;
  /** Startup taints are gone. */
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly capacity: Resources;
}

/** @throws Error - the plan names an offering that the claim does not allow */
export function toLaunchedNode(
  snapshot: ClusterSnapshot,
  { claim, cheapest }: PlannedClaim,
): LaunchedNode {
  const shape = listClaimVariants(snapshot, claim).find(
    ({ offering }) =>
      offering?.instanceType === cheapest.instanceType &&
      offering.zone === cheapest.zone &&
      offering.capacityType === cheapest.capacityType,
  );
  if (!shape) throw new Error(`${claim.name} cannot be launched as its cheapest offering`);
  return {
    name: claim.name,
    offering: cheapest,
    labels: { ...shape.labels, [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' },
    taints: claim.taints,
    allocatable: shape.allocatable,
    capacity: shape.capacity,
  };
}
