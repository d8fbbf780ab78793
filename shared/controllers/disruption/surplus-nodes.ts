import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { forEachWithLimit } from '../../model/concurrency.ts';
import { StaleObjectError } from '../../model/errors.ts';
import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { DisruptionPlan } from '../../model/plans.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isSameTaint, SURPLUS_TAINT } from '../../model/requirements/taints.ts';
import type { Ports } from '../../ports/ports.ts';

/** The next decision, at most a minute later, goes on. */
const MAX_NODES = 50;
const MAX_PODS_PER_NAMESPACE = 50;
const CONCURRENCY = 5;

/** Low enough to come before the pods without a cost, which count as 0. */
const SURPLUS_POD_DELETION_COST = -1;

/**
 * Taints the nodes that the plan found surplus and removes the taint from all others. With `TaintAndPodDeletionCost`, pods of
 * ReplicaSets on surplus nodes get a low deletion cost, unless their users gave them one. With `Ignore`,
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
  const ids = new Set(
    claims.flatMap(({ name, launch }) => (launch && names.has(name) ? [launch.providerId] : [])),
  );
  const isSurplus = ({ providerId }: Node): boolean =>
    providerId !== undefined && ids.has(providerId);

  const changed = nodes.filter(
    (node) => node.deletionAt === undefined && isTainted(node) !== isSurplus(node),
  );
  await forEachWithLimit(changed.slice(0, MAX_NODES), CONCURRENCY, (node) =>
    setTaint(cluster, node, isSurplus(node)),
  );

  const withCosts = settings?.surplusNodes === 'TaintAndPodDeletionCost';
  const onSurplus = new Set(withCosts ? nodes.filter(isSurplus).map(({ name }) => name) : []);
  await setDeletionCosts(
    cluster,
    pods,
    ({ nodeName }) => nodeName !== undefined && onSurplus.has(nodeName),
  );
}

const isTainted = ({ taints }: Node): boolean =>
  taints.some((taint) => isSameTaint(taint, SURPLUS_TAINT));

/** A node that another writer changes right now is looked at again by the next decision. */
async function setTaint(cluster: Ports['cluster'], node: Node, isSurplus: boolean): Promise<void> {
  const others = node.taints.filter((taint) => !isSameTaint(taint, SURPLUS_TAINT));
  try {
    await cluster.changeNode(node, { taints: isSurplus ? [...others, SURPLUS_TAINT] : others });
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
  }
}

const hasOurCost = ({ annotations }: Pod): boolean =>
  annotations[ON_SURPLUS_NODE_ANNOTATION] === 'true';

/** Only ReplicaSets look at the cost, and a user's own cost stays. */
const mayHaveCost = (pod: Pod): boolean =>
  pod.deletionAt === undefined &&
  !isTerminal(pod) &&
  pod.owner?.kind === 'ReplicaSet' &&
  (hasOurCost(pod) || pod.annotations[POD_DELETION_COST_ANNOTATION] === undefined);

/** Users give the right to patch pods by namespace: where it is missing, one try is enough. */
async function setDeletionCosts(
  cluster: Ports['cluster'],
  pods: readonly Pod[],
  hasLowCost: (pod: Pod) => boolean,
): Promise<void> {
  const changed = pods.filter((pod) => mayHaveCost(pod) && hasOurCost(pod) !== hasLowCost(pod));
  const byNamespace = new Map<string, Pod[]>();
  for (const pod of changed) getOrCreate(byNamespace, pod.namespace, () => []).push(pod);
  await forEachWithLimit([...byNamespace.values()], CONCURRENCY, async (ofNamespace) => {
    for (const pod of ofNamespace.slice(0, MAX_PODS_PER_NAMESPACE)) {
      const cost = hasLowCost(pod) ? SURPLUS_POD_DELETION_COST : undefined;
      if ((await cluster.setPodDeletionCost(pod, cost)) === 'forbidden') return;
    }
  });
}
