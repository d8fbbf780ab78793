import { forEachWithLimit } from '../../model/concurrency.ts';
import { StaleObjectError } from '../../model/errors.ts';
import type { Node } from '../../model/nodes/node.ts';
import {
  EXPENSIVE_POOL_TAINT,
  FILL_LAST_TAINT,
  isSameTaint,
  type Taint,
} from '../../model/requirements/taints.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';

/** The nodes of a plan join within a minute or two of each other, and its pods are bound at once. */
const FILL_LAST_MS = 5 * MINUTE_MS;

/** The next decision, at most a minute later, goes on. */
const MAX_NODES = 50;
const CONCURRENCY = 5;

/**
 * Removes the taints by which new nodes steer pods from running nodes: all once `STEER_PODS` is off, and
 * `fill-last` as soon as the pods of the node's plan have had time to be bound. A node that is being deleted
 * keeps them; one that another writer changes right now is looked at again by the next decision.
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
  await forEachWithLimit(changed.slice(0, MAX_NODES), CONCURRENCY, async (node) => {
    try {
      await cluster.changeNode(node, {
        taints: node.taints.filter((taint) => !isOver(node, taint)),
      });
    } catch (error) {
      if (!(error instanceof StaleObjectError)) throw error;
    }
  });
}
