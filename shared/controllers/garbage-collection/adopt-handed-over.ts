import { forEachConcurrently, runSequentially } from '../../model/concurrency.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { isManagedNode, isRegisteredNode, type Node } from '../../model/nodes/node.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { ownValue } from '../../model/own-value.ts';
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
    (object): object is HandedOverObject => object.providerId !== undefined && !recorded.has(object.name),
  );
}

type OwnerlessNode = Node & { readonly providerId: string };

/**
 * Lists the registered Nodes of our NodePools that have neither a NodeClaim nor a record: if
 * Karpenter's custom resource definitions are removed, its NodeClaims go, and the Nodes stay.
 */
function listOwnerlessNodes(
  { nodes, nodeClaims, pools, unreadable = [] }: ClusterObjects,
  stored: RecordList<StoredNodeClaim>,
): readonly OwnerlessNode[] {
  // One that cannot be read may be the Node's.
  if (stored.unreadable.length > 0 || unreadable.some(({ kind }) => kind === 'NodeClaim')) return [];
  const owned = new Set([
    ...stored.records.map(({ claim }) => claim.launch?.providerId),
    ...nodeClaims.map(({ providerId }) => providerId),
  ]);
  const poolNames = new Set(pools.map(({ name }) => name));
  return nodes.filter(
    (node): node is OwnerlessNode =>
      node.providerId !== undefined &&
      !owned.has(node.providerId) &&
      isManagedNode(node) &&
      isRegisteredNode(node) &&
      poolNames.has(ownValue(node.labels, NODEPOOL_LABEL) ?? ''),
  );
}

/**
 * Adopts the instances of a hand-over, hundreds with one request to EC2. A NodeClaim whose instance is
 * gone, or whose name has the record of an ended claim, is left to the claim's own reconciliation; an
 * instance that Mortise launched is left to `reconcileInstances`.
 */
export async function adoptHandedOver(
  ports: PortsOf<'sweep'>,
  handedOver: readonly HandedOverObject[],
  objects: ClusterObjects,
  stored: RecordList<StoredNodeClaim>,
): Promise<void> {
  const ownerless = listOwnerlessNodes(objects, stored);
  if (handedOver.length + ownerless.length === 0) return;
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

  async function lookUpNode(node: OwnerlessNode): Promise<void> {
    const instance = await cloud.instance(node.providerId);
    if (!instance || instance.state === 'terminated' || instance.launchId !== undefined) return;
    adoptable.push({ instance, node });
  }

  const withinReach = handedOver.filter(({ providerId }) => isWithinReach(providerId));
  const ownerlessWithinReach = ownerless.filter(({ providerId }) => isWithinReach(providerId));
  // A lookup that fails keeps no other NodeClaim from being adopted.
  await runSequentially([
    () => forEachConcurrently(withinReach, lookUp),
    () => forEachConcurrently(ownerlessWithinReach, lookUpNode),
    () => adoptInstances(ports, adoptable, objects),
    () => forEachConcurrently(others, (claim) => queue.send({ topic: 'claim', claim })),
  ]);
}
