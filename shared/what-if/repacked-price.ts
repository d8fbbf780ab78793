import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../model/plans.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { keepReservedNodes } from '../scheduling/packing/bounds/fleet-bound.ts';
import { planProvisioning } from '../scheduling/plan-provisioning.ts';
import { toPendingPod } from './remove-nodes.ts';

/**
 * Computes what new nodes for all running pods would cost, as the planner packs them. Unlike the lower bound,
 * a cluster could have this price, if all pods moved at once.
 *
 * @returns USD per hour; undefined if the planner finds no place for one of the pods
 */
export function computeRepackedHourlyUsd(snapshot: ClusterSnapshot): number | undefined {
  const { unplaced, hourlyUsd } = planRepacked(snapshot);
  return unplaced.length === 0 ? hourlyUsd : undefined;
}

/** Plans new nodes for all running pods: whole nodes with their DaemonSets. */
export function planRepacked(snapshot: ClusterSnapshot): ProvisioningPlan {
  const pods = snapshot.pods
    .filter((pod) => pod.nodeName !== undefined && !isDaemon(pod) && !isTerminal(pod))
    .map((pod) => toPendingPod(pod, snapshot.takenAt));
  const empty = { ...snapshot, ...keepReservedNodes(snapshot), owners: [], unavailable: [], pods };
  return planProvisioning(empty, 'repacked', { anticipate: false, mustBind: false, maxWorkloads: Infinity });
}
