import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { writeUnlessStale } from '../support/claim-writes.ts';
import { isStandIn, unlessUnreadable } from '../support/unreadable-records.ts';

/**
 * Removes the taint from nodes that no running command has as candidate: an abandoned command may
 * leave it behind. The claims of the snapshot may be older than the commands. A command ends after its
 * claims are marked as deleting, so each claim is read again.
 *
 * @param running - read after the snapshot
 */
export async function untaintAbandoned(
  ports: PortsOf<'disruption'>,
  { claims, nodes }: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Promise<void> {
  const tainted = nodes.filter(isTainted);
  if (tainted.length === 0) return;
  const candidateNames = new Set(running.flatMap(({ candidates }) => candidates));
  for (const claim of claims) {
    if (candidateNames.has(claim.name) || isStandIn(claim) || !findNode(claim, tainted)) continue;
    const stored = await unlessUnreadable(() => ports.nodeClaims.find(claim.name));
    if (stored && stored.claim.terminatedAt === undefined) await untaint(ports, stored.claim, tainted);
  }
}

/**
 * Removes the disrupted taint of one node. Skips nodes that are being deleted, and nodes that
 * another writer changes right now.
 */
export async function untaint(
  { cluster, queue }: PortsOf<'disruption'>,
  claim: NodeClaim,
  nodes: readonly Node[],
): Promise<void> {
  const node = findNode(claim, nodes);
  if (!node || !isTainted(node)) return;
  if (claim.deletingAt !== undefined || node.deletionAt !== undefined) return;

  const taints = node.taints.filter((taint) => !isSameTaint(taint, DISRUPTED_TAINT));
  if (!(await writeUnlessStale(() => cluster.changeNode(node, { taints })))) await queue.send({ topic: 'disrupt' });
}

const isTainted = ({ taints }: Node): boolean => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));

export const findNode = ({ launch }: NodeClaim, nodes: readonly Node[]): Node | undefined =>
  launch && nodes.find(({ providerId }) => providerId === launch.providerId);
