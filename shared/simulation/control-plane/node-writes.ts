import { StaleObjectError } from '../../model/errors.ts';
import type { Labels } from '../../model/labels.ts';
import type { Node, NodeIdentity } from '../../model/nodes/node.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import type { EpochMs } from '../../model/time.ts';
import type { NodeChange } from '../../ports/cluster.ts';
import type { SimObjectStore } from './object-store.ts';

/**
 * @throws StaleObjectError - `observed` is not the stored version
 */
export function changeNode(nodes: SimObjectStore<Node>, observed: Node, change: NodeChange): void {
  const stored = nodes.get(observed.name);
  if (!stored || !isSameVersion(stored, observed)) throw new StaleObjectError(`Node ${observed.name}`);

  storeNode(nodes, {
    ...stored,
    labels: applyLabelChanges(stored, change),
    annotations: { ...stored.annotations, ...change.annotations },
    taints: change.taints ?? stored.taints,
    finalizers: change.finalizers ?? stored.finalizers,
  });
}

export function applyLabelChanges({ labels }: Node, change: NodeChange): Labels {
  const removedKeys = new Set(change.withoutLabels);
  const remainingLabels = Object.entries(labels).filter(([key]) => !removedKeys.has(key));
  return { ...Object.fromEntries(remainingLabels), ...change.labels };
}

/** Removes a Node that has a deletion timestamp and no finalizers; stores it otherwise. */
function storeNode(nodes: SimObjectStore<Node>, node: Node): void {
  if (node.deletionAt !== undefined && node.finalizers.length === 0) nodes.remove(node.name);
  else nodes.put(node.name, node);
}

export function deleteNode(nodes: SimObjectStore<Node>, { name, uid }: NodeIdentity, now: EpochMs): void {
  const node = nodes.get(name);
  if (node?.uid === uid && node.deletionAt === undefined) storeNode(nodes, { ...node, deletionAt: now });
}

/**
 * The Node is being deleted or has the disrupted taint: its pods move away and no new ones arrive.
 */
export const isNodeLeaving = ({ deletionAt, taints }: Node): boolean =>
  deletionAt !== undefined || taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));

// Equal content counts as the same version: the caller may have read the Node back from a recorded
// snapshot.
const isSameVersion = (stored: Node, observed: Node): boolean =>
  stored === observed || JSON.stringify(stored) === JSON.stringify(observed);
