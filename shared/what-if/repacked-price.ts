import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { keepReservedNodes } from '../scheduling/packing/bounds/fleet-bound.ts';
import { planProvisioning } from '../scheduling/plan-provisioning.ts';
import { toPendingPod } from './remove-nodes.ts';

/**
 * Computes what new nodes for all running pods would cost, as the planner packs them: whole nodes with
 * their DaemonSets. Unlike the lower bound, a cluster could have this price, if all pods moved at once.
 *
 * @returns USD per hour; undefined if the planner finds no place for one of the pods
 */
export function computeRepackedHourlyUsd(snapshot: ClusterSnapshot): number | undefined {
  const pods = snapshot.pods
    .filter((pod) => pod.nodeName !== undefined && !isDaemon(pod) && !isTerminal(pod))
    .map((pod) => toPendingPod(pod, snapshot.takenAt));
  const empty = { ...snapshot, ...keepReservedNodes(snapshot), owners: [], unavailable: [], pods };
  const { unplaced, hourlyUsd } = planProvisioning(empty, 'repacked', {
    anticipate: false,
    maxWorkloads: Infinity,
  });
  return unplaced.length === 0 ? hourlyUsd : undefined;
}
