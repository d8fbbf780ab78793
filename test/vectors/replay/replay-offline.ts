import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
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
  const nodes = interleaveZones(cluster).map(createSchedulerNode);
  const random = createMulberry32(1);
  const search: Search = { nodes, nextStart: 0 };
  const isUnbound = (pod: Pod): boolean => {
    const best = pickNode(pod, search, namespaces, random);
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

interface Search {
  readonly nodes: readonly SchedulerNode[];
  /** Where the search for the next pod starts. */
  nextStart: number;
}

/** Lists one node of each zone in turn. */
function interleaveZones(cluster: readonly ReplayedNode[]): ReplayedNode[] {
  const zones = [...Map.groupBy(cluster, ({ labels }) => labels[ZONE_LABEL]).values()];
  const maxLength = Math.max(0, ...zones.map(({ length }) => length));
  return Array.from({ length: maxLength }, (_, index) => zones.flatMap((zone) => zone.slice(index, index + 1))).flat();
}

/** kube-scheduler compares only a share of 100 nodes and more, but at least 100. */
function countNodesToFind(nodes: number): number {
  if (nodes < 100) return nodes;
  const percentage = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(100, Math.floor((nodes * percentage) / 100));
}

/** Finds the feasible nodes that are compared: the search starts where that of the pod before ended. */
function findFeasibleNodes(pod: Pod, search: Search, namespaces: Namespaces): SchedulerNode[] {
  const { nodes, nextStart } = search;
  const filters = buildClusterFilters(pod, nodes, namespaces);
  const nodesToFind = countNodesToFind(nodes.length);
  const feasible: SchedulerNode[] = [];
  let looked = 0;
  for (; looked < nodes.length && feasible.length < nodesToFind; looked++) {
    const node = nodes[(nextStart + looked) % nodes.length];
    if (!node || findNodeRefusal(pod, node) !== undefined) continue;
    if (filters.every((filter) => filter(node) === undefined)) feasible.push(node);
  }
  search.nextStart = (nextStart + looked) % nodes.length;
  return feasible;
}

/** Picks the feasible node with the best score; ties are broken at random, as in kube-scheduler. */
function pickNode(pod: Pod, search: Search, namespaces: Namespaces, random: () => number): SchedulerNode | undefined {
  const feasible = findFeasibleNodes(pod, search, namespaces);
  if (feasible.length < 2) return feasible[0];
  const nodeScores = computeScores(pod, feasible, search.nodes, namespaces);
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
