import { forEachWithLimit } from '../../model/concurrency.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { Taint } from '../../model/requirements/taints.ts';
import type { Ports } from '../../ports/ports.ts';
import { writeUnlessStale } from '../support/claim-writes.ts';

/** The next decision, at most a minute later, goes on. */
const MAX_NODES = 50;
const CONCURRENCY = 5;

/**
 * Gives nodes other taints, fifty of them at most. The next decision looks again at the others, and at a node
 * that another writer changes right now.
 */
export async function changeTaints(
  cluster: Pick<Ports['cluster'], 'changeNode'>,
  nodes: readonly Node[],
  toTaints: (node: Node) => readonly Taint[],
): Promise<void> {
  await forEachWithLimit(nodes.slice(0, MAX_NODES), CONCURRENCY, async (node) => {
    await writeUnlessStale(() => cluster.changeNode(node, { taints: toTaints(node) }));
  });
}
