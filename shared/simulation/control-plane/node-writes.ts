import { StaleObjectError } from '../../model/errors.ts';
import type { Labels } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import type { EpochMs } from '../../model/time.ts';
import type { NodeChange } from '../../ports/cluster.ts';
import type { ObjectStore } from './object-store.ts';

/** @throws StaleObjectError - `read` is not what is stored */
export function changeNode(nodes: ObjectStore<Node>, observed: Node, change: NodeChange): void {
  const stored = nodes.get(observed.name);
  if (!stored || !isSameVersion(stored, observed))
    throw new StaleObjectError(`Node ${observed.name}`);

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

/** A Node goes when it has a deletion timestamp and nothing holds it any more. */
function storeNode(nodes: ObjectStore<Node>, node: Node): void {
  if (node.deletionAt !== undefined && node.finalizers.length === 0) nodes.remove(node.name);
  else nodes.put(node.name, node);
}

export function deleteNode(nodes: ObjectStore<Node>, name: string, now: EpochMs): void {
  const node = nodes.get(name);
  if (node && node.deletionAt === undefined) storeNode(nodes, { ...node, deletionAt: now });
}

/** Marked to go: nothing new comes to it, what is there moves off. */
export const isNodeLeaving = ({ deletionAt, taints }: Node): boolean =>
  deletionAt !== undefined || taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));

// A copy of the newest version, read back from a snapshot for one, is as good as the original.
const isSameVersion = (stored: Node, observed: Node): boolean =>
  stored === observed || JSON.stringify(stored) === JSON.stringify(observed);
