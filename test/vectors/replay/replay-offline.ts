import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { type Pod, podKey } from '../../../shared/model/pod.ts';
import { clusterFilters, type Namespaces } from './cluster-filters.ts';
import { nodeRefusal } from './node-filters.ts';
import { inOrder, ORDERS, randomNumbers } from './orders.ts';
import type { Replay, Unbound } from './replay-report.ts';
import { type ReplayedNode, replayedNodes } from './replayed-nodes.ts';
import { bind, type SchedulerNode, schedulerNode } from './scheduler-nodes.ts';
import { scores } from './scores.ts';

/**
 * What kube-scheduler would probably make of a plan, in seconds instead of minutes: filters and
 * scores of its default profile, without preemption and volumes.
 */
export function replayOffline(
  name: string,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Replay {
  const nodes = replayedNodes(snapshot, plan);
  const pods = nodes.flatMap(({ planned }) => planned);
  return {
    case: name,
    placed: pods.length,
    unbound: Object.fromEntries(
      ORDERS.map((order) => [order, schedule(nodes, inOrder(pods, order), snapshot.namespaces)]),
    ),
  };
}

/** Binds one pod after the other; who finds no node is tried again after the others. */
function schedule(
  cluster: readonly ReplayedNode[],
  pods: readonly Pod[],
  namespaces: Namespaces,
): Unbound[] {
  const nodes = cluster.map(schedulerNode);
  const random = randomNumbers(1);
  const isLeft = (pod: Pod): boolean => {
    const best = pickNode(pod, nodes, namespaces, random);
    if (best) bind(best, pod);
    return best === undefined;
  };
  let left = byPriority(pods);
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter(isLeft);
  }
  return left.map((pod) => ({ pod: podKey(pod), why: refusals(pod, nodes, namespaces) }));
}

const byPriority = (pods: readonly Pod[]): Pod[] =>
  pods.toSorted((a, b) => b.spec.priority - a.spec.priority);

/** The best node that will take the pod; equals by chance, as the scheduler does. */
function pickNode(
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
  random: () => number,
): SchedulerNode | undefined {
  const fitting = nodes.filter((node) => nodeRefusal(pod, node) === undefined);
  if (fitting.length === 0) return undefined;
  const filters = clusterFilters(pod, nodes, namespaces);
  const feasible = fitting.filter((node) => filters.every((filter) => filter(node) === undefined));
  if (feasible.length < 2) return feasible[0];
  const values = scores(pod, feasible, nodes, namespaces);
  const most = Math.max(...values);
  const best = feasible.filter((_, index) => values[index] === most);
  return best[Math.floor(random() * best.length)];
}

/** In the manner of the scheduler's own message: how many nodes for which reason. */
function refusals(pod: Pod, nodes: readonly SchedulerNode[], namespaces: Namespaces): string {
  const filters = clusterFilters(pod, nodes, namespaces);
  const reasons = nodes.flatMap(
    (node) => nodeRefusal(pod, node) ?? filters.flatMap((filter) => filter(node) ?? []).slice(0, 1),
  );
  const counts = Map.groupBy(reasons, (reason) => reason);
  const parts = [...counts].map(([reason, { length }]) => `${length} ${reason}`);
  return `0/${nodes.length} nodes are available: ${parts.join(', ')}`;
}
