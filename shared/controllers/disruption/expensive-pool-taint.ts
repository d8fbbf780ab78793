import { StaleObjectError } from '../../model/errors.ts';
import type { Node } from '../../model/nodes/node.ts';
import { EXPENSIVE_POOL_TAINT, isSameTaint, type Taint } from '../../model/requirements/taints.ts';
import type { Ports } from '../../ports/ports.ts';

const isOurs = (taint: Taint): boolean => isSameTaint(taint, EXPENSIVE_POOL_TAINT);

/**
 * Removes the taint of expensive pools from running nodes once `STEER_PODS` is off. A node that is being
 * deleted keeps it; one that another writer changes right now is looked at again by the next decision.
 */
export async function untaintExpensivePools(
  { cluster, settings }: Pick<Ports, 'cluster' | 'settings'>,
  nodes: readonly Node[],
): Promise<void> {
  if (settings?.steerPods !== false) return;
  for (const node of nodes) {
    if (node.deletionAt !== undefined || !node.taints.some(isOurs)) continue;
    try {
      await cluster.changeNode(node, { taints: node.taints.filter((taint) => !isOurs(taint)) });
    } catch (error) {
      if (!(error instanceof StaleObjectError)) throw error;
    }
  }
}
