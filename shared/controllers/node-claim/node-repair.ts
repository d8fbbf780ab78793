import {
  type BlockedRepair,
  planRepair,
  type Repair,
  type WaitingRepair,
} from '../../disruption/repair/plan-repair.ts';
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
  for (const repair of repairs) {
    if (isLegacy) await endNode(ports, { ...repair, drainMs: 0 }, now);
    else if (hasNothingToReplace(repair)) await endNode(ports, repair, now);
  }
  if (!isLegacy && repairs.some((repair) => !hasNothingToReplace(repair))) await requestDisruption(ports, now);
  for (const one of blocked) await reportBlocked(ports, one, now);
  for (const one of waiting) await reportWaiting(ports, one, now);
}

const hasNothingToReplace = ({ claim, action }: Repair): boolean =>
  action === 'replace' && (claim.initializedAt === undefined || claim.deletingAt !== undefined);

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
