import { CAPACITY_TYPE_LABEL, REGISTERED_LABEL, RESERVATION_ID_LABEL, RESERVATION_LABELS } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { leaveReservation, type NodeClaim } from '../../model/nodes/node-claim.ts';
import { isExpiring, type NodeReservation } from '../../model/nodes/resolved-node-class.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { deleteClaim, storeClaim, writeUnlessStale } from '../support/claim-writes.ts';

/**
 * Handles nodes in reserved capacity. Nodes of an ending capacity block are drained in time; nodes
 * whose reservation ended run on, relabelled as on-demand. Runs every minute.
 *
 * @param claims - claims that are not terminated
 */
export async function reconcileReservedNodes(
  ports: PortsOf<'sweep'>,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  instances: readonly Instance[],
): Promise<void> {
  const onDemandInstances = new Set(instances.filter(isOnDemand).map(({ providerId }) => providerId));
  const reserved = claims.filter(({ launch }) => launch?.capacityType === 'reserved');
  for (const claim of reserved.filter((one) => onDemandInstances.has(one.launch?.providerId ?? ''))) {
    await writeUnlessStale(() => relabelClaim(ports, claim.name));
  }
  // Nodes are relabelled separately, because an earlier run may have crashed after the claim.
  for (const node of nodes.filter(isReserved)) {
    if (onDemandInstances.has(node.providerId ?? '')) await writeUnlessStale(() => relabelNode(ports, node));
  }
  if (reserved.length > 0) await leaveExpiringBlocks(ports, reserved);
}

const isOnDemand = ({ state, facts }: Instance): boolean => state === 'running' && facts?.capacityType === 'on-demand';

const isReserved = ({ labels }: Node): boolean =>
  labels[CAPACITY_TYPE_LABEL] === 'reserved' && labels[REGISTERED_LABEL] === 'true';

async function relabelClaim(ports: PortsOf<'sweep'>, name: string): Promise<void> {
  const stored = await ports.nodeClaims.find(name);
  if (!stored || stored.claim.terminatedAt !== undefined) return;
  await storeClaim(ports, leaveReservation(stored.claim), stored.version);
}

const relabelNode = ({ cluster }: PortsOf<'sweep'>, node: Node): Promise<void> =>
  cluster.changeNode(node, {
    labels: { [CAPACITY_TYPE_LABEL]: 'on-demand' },
    withoutLabels: RESERVATION_LABELS,
  });

async function leaveExpiringBlocks(ports: PortsOf<'sweep'>, reserved: readonly NodeClaim[]): Promise<void> {
  const now = ports.clock.now();
  const classes = await ports.nodeClasses.list();
  const ending = new Map(
    classes
      .flatMap(({ reservations = [] }) => reservations)
      .filter((one) => isExpiring(one, now))
      .map((one) => [one.id, one]),
  );
  for (const { name, launch } of reserved) {
    const block = ending.get(launch?.labels[RESERVATION_ID_LABEL] ?? '');
    if (block) await leaveBlock(ports, name, block);
  }
}

async function leaveBlock(ports: PortsOf<'sweep'>, claim: string, { endsAt }: NodeReservation): Promise<void> {
  const at = ports.clock.now();
  const interruption = 'capacity_block_expiring';
  const isFirst = await deleteClaim(ports, claim, { removal: 'Interrupted', interruption, at });
  if (!isFirst) return;
  await ports.decisionLog.recordEvent({ kind: 'block-ends', at, claim, endsAt: endsAt ?? at });
}
