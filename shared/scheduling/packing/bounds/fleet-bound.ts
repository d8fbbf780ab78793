import type { ClusterSnapshot } from '../../../model/cluster-snapshot.ts';
import { NODEPOOL_LABEL, RESERVATION_ID_LABEL } from '../../../model/labels.ts';
import { isProvisionable, isTerminal } from '../../../model/pods/disruption-pods.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { isDaemon } from '../../../model/pods/workload.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { NO_NODE_COSTS } from '../../input/node-costs.ts';
import { type Problem, prepare } from '../../input/problem.ts';
import { createLowerBound } from './lower-bound.ts';
import { groupByKind, type PodKind } from './pod-kinds.ts';

/**
 * Computes a lower bound of the cluster's price in USD per hour, as if all its pods could move to
 * new nodes. DaemonSets are left out, and pods that no NodePool can launch a node for: their NodePool
 * was changed or deleted. Unavailable offerings are included: they become available again, and the
 * bound must not jump.
 */
export function computeFleetBound(snapshot: ClusterSnapshot): number {
  const counts = countSpecs(snapshot);
  if (counts.size === 0) return 0;
  const reduced = { ...snapshot, ...keepReservedNodes(snapshot), pods: [] };
  const problem = prepare({ ...reduced, daemonSets: [], unavailable: [] });
  const podSets = groupByKind(counts.keys(), problem)
    .filter((kind) => canLaunchFor(kind, problem))
    .flatMap(({ specs }) => specs.map((spec) => ({ spec, pods: counts.get(spec) ?? 0 })));
  return podSets.length === 0 ? 0 : createLowerBound(problem, podSets)(NO_NODE_COSTS);
}

const canLaunchFor = ({ accesses }: PodKind, { offerings }: Problem): boolean =>
  accesses.some(({ allowed, where }) => !isEmptyBitset(intersection(allowed, offerings.offered(where))));

/** Counts the pods on nodes of NodePools and the pending pods, by template. */
function countSpecs({ nodes, pods }: ClusterSnapshot): Map<PodSpec, number> {
  const ours = new Set(nodes.filter(({ labels }) => labels[NODEPOOL_LABEL]).map(({ name }) => name));
  const counts = new Map<PodSpec, number>();
  for (const pod of pods) {
    const here = pod.nodeName === undefined ? isProvisionable(pod) : ours.has(pod.nodeName);
    if (here && !isTerminal(pod) && !isDaemon(pod)) {
      counts.set(pod.spec, (counts.get(pod.spec) ?? 0) + 1);
    }
  }
  return counts;
}

/** Nodes on reservations are paid for, and so is the rest of their reservations. */
export function keepReservedNodes(snapshot: ClusterSnapshot): Pick<ClusterSnapshot, 'nodes' | 'claims'> {
  const nodes = snapshot.nodes.filter(({ labels }) => labels[RESERVATION_ID_LABEL] !== undefined);
  const keptProviderIds = new Set(nodes.map(({ providerId }) => providerId));
  const claims = snapshot.claims.filter(({ launch }) => launch && keptProviderIds.has(launch.providerId));
  return { nodes, claims };
}
