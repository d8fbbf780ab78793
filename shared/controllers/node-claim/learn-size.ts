import { sizeSeen } from '../../model/learned-sizes.ts';
import type { Node } from '../../model/node.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Remembers what a node turned out to have when it joins, and again when it is initialized: the
 * kubelet knows its disk later than its memory. From then on plans count with that.
 */
export async function learnSize(
  { learnedSizes, clock }: Pick<Ports, 'learnedSizes' | 'clock'>,
  before: NodeClaim,
  after: NodeClaim,
  nodes: readonly Node[],
): Promise<void> {
  const { launch } = after;
  const [node, another] = nodes;
  if (!launch || !node || another || !hasArrived(before, after)) return;
  const seen = sizeSeen(launch, node);
  if (seen) await learnedSizes.learn(seen, clock.now());
}

const hasArrived = (before: NodeClaim, after: NodeClaim): boolean =>
  (before.registeredAt === undefined && after.registeredAt !== undefined) ||
  (before.initializedAt === undefined && after.initializedAt !== undefined);
