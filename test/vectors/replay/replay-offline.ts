import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { createMulberry32 } from '../../../shared/model/random.ts';
import { buildClusterFilters, type Namespaces } from './cluster-filters.ts';
import { findNodeRefusal } from './node-filters.ts';
import { REPLAY_ORDERS, sortIntoOrder } from './orders.ts';
import type { PlanReplay, UnboundPod } from './replay-report.ts';
import { listReplayedNodes, type ReplayedNode } from './replayed-nodes.ts';
import { bind, createSchedulerNode, type SchedulerNode } from './scheduler-nodes.ts';
import { computeScores } from './scores.ts';

/**
 * Simulates in seconds how kube-scheduler would bind the pods of a plan: the filters and scores of
 * its default profile, without preemption and volumes. It is written independently of
 * `shared/scheduling/binding-simulation`, so that each checks the other.
 */
export function replayOffline(name: string, snapshot: ClusterSnapshot, plan: ProvisioningPlan): PlanReplay {
  const nodes = listReplayedNodes(snapshot, plan);
  const pods = nodes.flatMap(({ planned }) => planned);
  return {
    case: name,
    placed: pods.length,
    unbound: Object.fromEntries(
      REPLAY_ORDERS.map((order) => [order, schedule(nodes, sortIntoOrder(pods, order), snapshot.namespaces)]),
    ),
  };
}

/** Binds one pod after the other. Pods without a feasible node are tried again after the others. */
function schedule(cluster: readonly ReplayedNode[], pods: readonly Pod[], namespaces: Namespaces): UnboundPod[] {
  const nodes = cluster.map(createSchedulerNode);
  const random = createMulberry32(1);
  const isUnbound = (pod: Pod): boolean => {
    const best = pickNode(pod, nodes, namespaces, random);
    if (best) bind(best, pod);
    return best === undefined;
  };
  let unbound = byPriority(pods);
  for (let before = -1; before !== unbound.length; ) {
    before = unbound.length;
    unbound = unbound.filter(isUnbound);
  }
  return unbound.map((pod) => ({ pod: podKey(pod), why: formatRefusals(pod, nodes, namespaces) }));
}

const byPriority = (pods: readonly Pod[]): Pod[] => pods.toSorted((a, b) => b.spec.priority - a.spec.priority);

/** Picks the feasible node with the best score; ties are broken at random, as in kube-scheduler. */
function pickNode(
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
  random: () => number,
): SchedulerNode | undefined {
  const nodesWithRoom = nodes.filter((node) => findNodeRefusal(pod, node) === undefined);
  if (nodesWithRoom.length === 0) return undefined;
  const filters = buildClusterFilters(pod, nodes, namespaces);
  const feasible = nodesWithRoom.filter((node) => filters.every((filter) => filter(node) === undefined));
  if (feasible.length < 2) return feasible[0];
  const nodeScores = computeScores(pod, feasible, nodes, namespaces);
  const bestScore = Math.max(...nodeScores);
  const best = feasible.filter((_, index) => nodeScores[index] === bestScore);
  return best[Math.floor(random() * best.length)];
}

/** Formats the reasons as kube-scheduler does: the number of nodes for each reason. */
function formatRefusals(pod: Pod, nodes: readonly SchedulerNode[], namespaces: Namespaces): string {
  const filters = buildClusterFilters(pod, nodes, namespaces);
  const reasons = nodes.flatMap(
    (node) => findNodeRefusal(pod, node) ?? filters.flatMap((filter) => filter(node) ?? []).slice(0, 1),
  );
  const counts = Map.groupBy(reasons, (reason) => reason);
  const parts = [...counts].map(([reason, { length }]) => `${length} ${reason}`);
  return `0/${nodes.length} nodes are available: ${parts.join(', ')}`;
}
