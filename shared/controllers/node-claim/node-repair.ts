import { type BlockedRepair, planRepair, type Repair, type WaitingRepair } from '../../disruption/plan-repair.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { deleteClaim } from '../support/claim-writes.ts';

/**
 * Replaces nodes that have been unhealthy for too long, if the NodeRepair gate is on. Their drain has a
 * deadline of some minutes: pods on an unhealthy node do not run well anyway. Runs every minute.
 */
export async function repairNodes(
  ports: PortsOf<'sweep'>,
  claims: readonly NodeClaim[],
  objects: { readonly nodes: readonly Node[]; readonly pools: readonly NodePool[] },
): Promise<void> {
  if (ports.settings?.gates.NodeRepair !== true) return;
  const now = ports.clock.now();
  const { repairs, blocked, waiting } = planRepair(claims, objects, now);
  for (const repair of repairs) await replaceNode(ports, repair, now);
  for (const one of blocked) await reportBlocked(ports, one, now);
  for (const one of waiting) await reportWaiting(ports, one, now);
}

async function replaceNode(ports: PortsOf<'sweep'>, { claim, trouble, drainMs }: Repair, at: EpochMs): Promise<void> {
  const deletion = { removal: 'Unhealthy', at, deadline: at + drainMs } as const;
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
    drainMs,
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

async function reportWaiting(
  { decisionLog }: PortsOf<'sweep'>,
  { claim, keptBy }: WaitingRepair,
  at: EpochMs,
): Promise<void> {
  await decisionLog.recordEvent({ kind: 'repair-waits', at, claim: claim.name, keptBy });
}
