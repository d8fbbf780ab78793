import { forEachConcurrently, runSequentially } from '../../model/concurrency.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { RecordList, StoredNodeClaim } from '../../ports/records.ts';
import { adoptInstances, type LostInstance } from '../node-claim/adoption.ts';
import { readOrForbid } from '../support/unreadable-records.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';

type HandedOverObject = NodeClaimObject & { readonly providerId: string };

/**
 * Lists the NodeClaims that have an instance, but no record: those of the controller that had the
 * cluster before. EC2 does not list their instances as ours.
 */
export function listHandedOver(
  { nodeClaims }: Pick<ClusterObjects, 'nodeClaims'>,
  stored: RecordList<StoredNodeClaim>,
): readonly HandedOverObject[] {
  const recorded = new Set([
    ...stored.records.map(({ claim }) => claim.name),
    ...stored.unreadable.map(({ name }) => name),
  ]);
  return nodeClaims.filter(
    (object): object is HandedOverObject =>
      object.providerId !== undefined && !recorded.has(object.name),
  );
}

/**
 * Adopts the instances of a hand-over, hundreds with one request to EC2. A NodeClaim whose instance is
 * gone, or whose name has the record of an ended claim, is left to the claim's own reconciliation.
 */
export async function adoptHandedOver(
  ports: PortsOf<'sweep'>,
  handedOver: readonly HandedOverObject[],
  objects: ClusterObjects,
): Promise<void> {
  if (handedOver.length === 0) return;
  const { cloud, nodeClaims, queue } = ports;
  // EC2's answers about a shifted zone may be wrong: a later sweep tries again.
  const isWithinReach = await createReachabilityCheck(ports);
  const nodeOf = new Map(objects.nodes.map((node) => [node.providerId, node]));
  const adoptable: LostInstance[] = [];
  const others: string[] = [];

  async function lookUp(object: HandedOverObject): Promise<void> {
    const instance = await cloud.instance(object.providerId);
    const isLive = instance !== undefined && instance.state !== 'terminated';
    const record = await readOrForbid(() => nodeClaims.find(object.name), []);
    // The record of an ended claim, which the list of claims leaves out: its object is set aside.
    if ('missing' in record) return;
    if (!isLive || record.value) {
      others.push(object.name);
      return;
    }
    const node = nodeOf.get(object.providerId);
    adoptable.push({ instance, object, ...(node && { node }) });
  }

  const withinReach = handedOver.filter(({ providerId }) => isWithinReach(providerId));
  // A lookup that fails keeps no other NodeClaim from being adopted.
  await runSequentially([
    () => forEachConcurrently(withinReach, lookUp),
    () => adoptInstances(ports, adoptable, objects),
    () => forEachConcurrently(others, (claim) => queue.send({ topic: 'claim', claim })),
  ]);
}
