import type { Node } from '../../model/nodes/node.ts';
import { EXPENSIVE_POOL_TAINT, FILL_LAST_TAINT, isSameTaint, type Taint } from '../../model/requirements/taints.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeTaints } from './change-taints.ts';

/** The nodes of a plan join within a minute or two of each other, and its pods are bound at once. */
const FILL_LAST_MS = 5 * MINUTE_MS;

/**
 * Removes the taints by which new nodes steer pods from running nodes: all once `STEER_PODS` is off, and
 * `fill-last` as soon as the pods of the node's plan have had time to be bound. A node that is being deleted
 * keeps them.
 */
export async function removeExpiredSteeringTaints(
  { cluster, settings }: Pick<Ports, 'cluster' | 'settings'>,
  { nodes, takenAt }: { readonly nodes: readonly Node[]; readonly takenAt: EpochMs },
): Promise<void> {
  const isOver = ({ createdAt }: Node, taint: Taint): boolean => {
    const isOff = settings?.steerPods === false;
    if (isSameTaint(taint, EXPENSIVE_POOL_TAINT)) return isOff;
    return isSameTaint(taint, FILL_LAST_TAINT) && (isOff || takenAt - createdAt >= FILL_LAST_MS);
  };
  const changed = nodes.filter(
    (node) => node.deletionAt === undefined && node.taints.some((taint) => isOver(node, taint)),
  );
  await changeTaints(cluster, changed, (node) => node.taints.filter((taint) => !isOver(node, taint)));
}
