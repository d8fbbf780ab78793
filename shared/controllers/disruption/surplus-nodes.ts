import { readOwnDeletionCost } from '../../disruption/surplus/pod-deletion-costs.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { forEachWithLimit } from '../../model/concurrency.ts';
import { POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import type { DisruptionPlan } from '../../model/plans.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isSameTaint, SURPLUS_TAINT } from '../../model/requirements/taints.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeTaints } from './change-taints.ts';

/** The next decision, at most a minute later, goes on. */
const MAX_PODS_PER_NAMESPACE = 50;
/** The most pods of the cluster that have a deletion cost of ours. */
const MAX_RANKED_PODS = 1_000;
const CONCURRENCY = 5;

/**
 * Taints the nodes that the plan found surplus and removes the taint from all others. With `TaintAndPodDeletionCost`, pods of
 * ReplicaSets get the deletion costs that the plan has for their nodes, unless their users gave them one. With `Ignore`,
 * taints and costs are removed. A plan that was not made, because data was missing, changes nothing.
 */
export async function markSurplusNodes(
  { cluster, settings }: Pick<Ports, 'cluster' | 'settings'>,
  { claims, nodes, pods }: ClusterSnapshot,
  plan: DisruptionPlan,
): Promise<void> {
  const surplus = (settings?.surplusNodes ?? 'Ignore') === 'Ignore' ? [] : plan.surplus;
  if (!surplus) return;
  const names = new Set(surplus);
  const ids = new Set(claims.flatMap(({ name, launch }) => (launch && names.has(name) ? [launch.providerId] : [])));
  const isSurplus = ({ providerId }: Node): boolean => providerId !== undefined && ids.has(providerId);

  const changed = nodes.filter((node) => node.deletionAt === undefined && isTainted(node) !== isSurplus(node));
  await changeTaints(cluster, changed, (node) => {
    const others = node.taints.filter((taint) => !isSameTaint(taint, SURPLUS_TAINT));
    return isSurplus(node) ? [...others, SURPLUS_TAINT] : others;
  });

  const costs = plan.podDeletionCosts ?? {};
  const claimOfNode = new Map(
    claims.flatMap(({ name, nodeName }) => (nodeName === undefined ? [] : [[nodeName, name]])),
  );
  await setDeletionCosts(cluster, pods, ({ nodeName }) => ownValue(costs, claimOfNode.get(nodeName ?? '') ?? '') ?? 0);
}

const isTainted = ({ taints }: Node): boolean => taints.some((taint) => isSameTaint(taint, SURPLUS_TAINT));

/** Only ReplicaSets look at the cost, and a user's own cost stays. */
const mayHaveCost = (pod: Pod): boolean =>
  isActive(pod) &&
  pod.owner?.kind === 'ReplicaSet' &&
  (readOwnDeletionCost(pod) !== 0 || pod.annotations[POD_DELETION_COST_ANNOTATION] === undefined);

/**
 * Users give the right to patch pods by namespace: where it is missing, one try is enough. The lowest costs
 * come first, for those pods should end next; of more pods than may be ranked, those that have a cost keep it.
 */
async function setDeletionCosts(
  cluster: Ports['cluster'],
  pods: readonly Pod[],
  costOf: (pod: Pod) => number,
): Promise<void> {
  const possible = pods.filter(mayHaveCost);
  const ranked = new Set(
    possible
      .filter((pod) => costOf(pod) !== 0)
      .toSorted((a, b) => costOf(a) - costOf(b) || readOwnDeletionCost(a) - readOwnDeletionCost(b))
      .slice(0, MAX_RANKED_PODS),
  );
  const costWithin = (pod: Pod): number => (ranked.has(pod) ? costOf(pod) : 0);
  const changed = possible.filter((pod) => readOwnDeletionCost(pod) !== costWithin(pod));
  const byNamespace = new Map<string, Pod[]>();
  for (const pod of changed.toSorted((a, b) => costWithin(a) - costWithin(b)))
    getOrCreate(byNamespace, pod.namespace, () => []).push(pod);
  await forEachWithLimit([...byNamespace.values()], CONCURRENCY, async (ofNamespace) => {
    for (const pod of ofNamespace.slice(0, MAX_PODS_PER_NAMESPACE)) {
      const outcome = await cluster.setPodDeletionCost(pod, costWithin(pod) || undefined);
      if (outcome === 'forbidden' || outcome === 'limited') return;
    }
  });
}
