import { planRepair, type Repair } from '../../disruption/repair/plan-repair.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { isReplacingFirst, mayReboot } from '../../model/settings.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { deleteClaim } from '../support/claim-writes.ts';
import { requestDisruption } from '../support/hints.ts';

/**
 * Starts the repair of nodes that have been unhealthy for too long, if the NodeRepair gate is on, and reports
 * those that stay. Runs every minute. A disruption decision replaces them; nodes that were never ready or go
 * already, which have nothing to replace, are deleted here, and all of them in the legacy mode.
 */
export async function repairNodes(
  ports: PortsOf<'sweep'>,
  claims: readonly NodeClaim[],
  objects: { readonly nodes: readonly Node[]; readonly pools: readonly NodePool[] },
): Promise<void> {
  if (ports.settings?.gates.NodeRepair !== true) return;
  const now = ports.clock.now();
  const isLegacy = !isReplacingFirst(ports.settings);
  const { repairs, blocked, waiting } = planRepair(claims, objects, now, {
    isLegacy,
    mayReboot: mayReboot(ports.settings),
  });
  const isToEnd = ({ claim, action }: Repair): boolean =>
    isLegacy || (action === 'replace' && (claim.initializedAt === undefined || claim.deletingAt !== undefined));
  for (const repair of repairs.filter(isToEnd)) await endNode(ports, repair, now);
  if (!repairs.every(isToEnd)) await requestDisruption(ports, now);
  const { decisionLog } = ports;
  for (const { claim, pool, unhealthy, nodes } of blocked) {
    const counts = { ...(pool !== undefined && { pool }), unhealthy, nodes };
    await decisionLog.recordEvent({ kind: 'repair-blocked', at: now, claim: claim.name, ...counts });
  }
  for (const { claim, keptBy } of waiting) {
    await decisionLog.recordEvent({ kind: 'repair-waits', at: now, claim: claim.name, keptBy });
  }
}

async function endNode(ports: PortsOf<'sweep'>, { claim, trouble, drainMs }: Repair, at: EpochMs): Promise<void> {
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
