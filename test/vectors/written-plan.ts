import { formatQuantities } from '../../shared/kubernetes/writers/format-quantities.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import { INSTANCE_TYPE_LABEL } from '../../shared/model/labels.ts';
import type { PlannedClaim, ProvisioningPlan, Unplaced } from '../../shared/model/plans.ts';
import { applyNodeOverlays } from './checker/node-overlays.ts';
import { toLaunchedNode } from './launched-node.ts';

/**
 * Writes the plan in the format of the recorded answers, so that both can be compared. Each claim
 * includes its node, so that the plan can be replayed on a scheduler.
 */
export function toWrittenPlan(observed: ClusterSnapshot, plan: ProvisioningPlan): object {
  const snapshot = applyNodeOverlays(observed);
  return {
    newNodeClaims: plan.claims.map((planned) => toWrittenClaim(snapshot, planned)),
    existingNodes: plan.placements.map(({ target, pods }) => ({ node: target, pods })),
    unschedulable: Object.fromEntries(
      plan.unplaced.flatMap((unplaced) => {
        const message = toMessage(unplaced);
        return unplaced.pods.map((key) => [key, message]);
      }),
    ),
    totalPrice: plan.hourlyUsd,
  };
}

function toWrittenClaim(snapshot: ClusterSnapshot, planned: PlannedClaim): object {
  const { claim, pods, cheapest } = planned;
  const { instanceType, zone, capacityType, hourlyUsd } = cheapest;
  const { name, labels, taints, allocatable } = toLaunchedNode(snapshot, planned);
  return {
    nodePool: claim.pool,
    pods,
    instanceTypes: claim.instanceTypes,
    requirements: claim.requirements.filter(({ key }) => key !== INSTANCE_TYPE_LABEL),
    requests: formatQuantities(claim.requests),
    cheapestPrice: hourlyUsd,
    cheapest: { instanceType, zone, capacityType, price: hourlyUsd },
    node: {
      name,
      instanceType,
      zone,
      capacityType,
      labels,
      taints,
      allocatable: formatQuantities(allocatable),
    },
  };
}

const toMessage = ({ pools }: Unplaced): string =>
  pools.map(({ pool, reasons }) => `NodePool ${pool}: ${reasons.map(formatReason).join(', ')}`).join('; ');
