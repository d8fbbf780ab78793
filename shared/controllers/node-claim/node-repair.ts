import { type BlockedRepair, planRepair, type Repair } from '../../disruption/plan-repair.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { deleteClaim } from '../support/claim-writes.ts';

/**
 * Replaces nodes that have been unhealthy for too long, if the NodeRepair gate is on. Their drain
 * deadline is now, because pods on an unhealthy node do not run well anyway. Runs every minute.
 */
export async function repairNodes(
  ports: PortsOf<'sweep'>,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
): Promise<void> {
  if (ports.settings?.gates.NodeRepair !== true) return;
  const now = ports.clock.now();
  const { repairs, blocked } = planRepair(claims, nodes, now);
  for (const repair of repairs) await replaceNode(ports, repair, now);
  for (const one of blocked) await reportBlocked(ports, one, now);
}

async function replaceNode(
  ports: PortsOf<'sweep'>,
  { claim, trouble }: Repair,
  at: EpochMs,
): Promise<void> {
  const deletion = { removal: 'Unhealthy', at, deadline: at } as const;
  const isFirst = await deleteClaim(ports, claim.name, deletion);
  if (!isFirst) return;
  const { condition, status, since } = trouble;
  await ports.decisionLog.recordEvent({
    kind: 'repair',
    at,
    claim: claim.name,
    condition,
    status,
    since,
  });
}

async function reportBlocked(
  { decisionLog }: PortsOf<'sweep'>,
  { claim, pool, unhealthy, nodes }: BlockedRepair,
  at: EpochMs,
): Promise<void> {
  await decisionLog.recordEvent({
    kind: 'repair-blocked',
    at,
    claim: claim.name,
    ...(pool !== undefined && { pool }),
    unhealthy,
    nodes,
  });
}
