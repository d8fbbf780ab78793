import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { isTerminal } from '../../../shared/model/pods/disruption-pods.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';

/**
 * Computes what new nodes for all running pods would cost in USD per hour, as our planner packs them:
 * whole nodes with their DaemonSets. Unlike the lower bound, this is a price that a cluster can have,
 * if all pods move at once.
 */
export function computeRepackedUsd(snapshot: ClusterSnapshot): number {
  const pods = snapshot.pods.filter(
    (pod) => pod.nodeName !== undefined && !isDaemon(pod) && !isTerminal(pod),
  );
  const empty = { ...snapshot, nodes: [], claims: [], owners: [], unavailable: [] };
  const pending = pods.map((pod) => toPending(pod, snapshot.takenAt));
  return planProvisioning({ ...empty, pods: pending }, 'repacked', {
    anticipate: false,
    maxWorkloads: Infinity,
    attemptLimit: Infinity,
  }).hourlyUsd;
}

function toPending({ nodeName: _, ...pod }: Pod, now: number): Pod {
  return { ...pod, phase: 'Pending', ready: false, unschedulableSince: now };
}
