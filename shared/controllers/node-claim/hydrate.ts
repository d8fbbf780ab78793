import { EC2_SHOWS_AFTER_MS } from '../../lifecycle/instance-absence.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { FIRST_SHORTAGE_MS } from '../../model/offerings/shortages.ts';
import { ownValue } from '../../model/own-value.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClaimObjects, Cluster } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { RecordVersion, StoredNodeClaim } from '../../ports/records.ts';
import { findLaunchDelay } from '../provisioning/launch-caps.ts';
import { storeClaim } from '../support/claim-writes.ts';
import { findStandIns } from '../support/unreadable-records.ts';
import { findShiftAwayFrom } from '../zonal-shift/shifted-zones.ts';
import { adoptInstances } from './adoption.ts';
import { awaitNodeClass, findClassProblem } from './await-node-class.ts';
import { observeClaimObjects } from './observe-claim.ts';
import { type StandaloneOffers, toStandaloneClaim, toSyntheticPool } from './standalone-claim.ts';

/**
 * Creates the record of a NodeClaim object that has none. An object that already has an instance is
 * adopted; a standalone NodeClaim gets a record to be launched from; an object whose instance is gone
 * or whose claim has ended is removed.
 *
 * @param ended - the terminated record of an earlier claim with this name
 * @returns true if there is a new record to reconcile
 */
export async function hydrateClaim(
  ports: PortsOf<'nodeLifecycle'>,
  name: string,
  ended?: StoredNodeClaim,
): Promise<boolean> {
  const listed = await observeClaimObjects(ports.cluster, { claim: name });
  const object = listed.nodeClaims.find((candidate) => candidate.name === name);
  if (!object) return false;
  if (ended && isViewOfEnded(ended, object)) {
    await removeLeftover(ports, ended);
    return false;
  }

  const { providerId } = object;
  // EC2's answers about a shifted zone may be wrong: the next sweep tries again.
  if (providerId !== undefined && (await findShiftAwayFrom(ports, providerId))) return false;
  const instance = await findInstance(ports, object);
  const objects = await withNodes(ports.cluster, listed, object, instance);
  if (instance) {
    const node = objects.nodes.find((one) => one.providerId === instance.providerId);
    await adoptInstances(ports, [{ instance, object, ...(node && { node }) }], objects);
    return false;
  }
  if (providerId !== undefined) {
    await removeWithoutInstance(ports, object, objects.nodes);
    return false;
  }
  if (object.deletionAt === undefined) return launchStandalone(ports, object, objects, ended?.version ?? 0);
  await ports.cluster.removeNodeClaim(name);
  return false;
}

/** Adds the Nodes of the object's instance to a first look that did not know the instance. */
async function withNodes(
  cluster: Cluster,
  listed: ClaimObjects,
  { name, providerId: shown, nodeName }: NodeClaimObject,
  instance: Instance | undefined,
): Promise<ClaimObjects> {
  const providerId = instance?.providerId ?? shown;
  if (providerId === undefined || !cluster.observeClaim) return listed;
  const { instanceType, zone } = instance?.facts ?? {};
  return cluster.observeClaim({
    claim: name,
    instance: {
      providerId,
      ...(instanceType !== undefined && { instanceType }),
      ...(zone !== undefined && { zone }),
      ...(nodeName !== undefined && { nodeName }),
    },
  });
}

/** True if the object is an outdated view of the terminated claim. */
const isViewOfEnded = ({ claim }: StoredNodeClaim, { createdAt, deletionAt }: NodeClaimObject): boolean =>
  deletionAt === undefined && createdAt <= (claim.terminatedAt ?? Number.NEGATIVE_INFINITY);

/** When a standalone NodeClaim is tried again that could not be counted against the limits. */
const RETRY_UNREADABLE_MS = MINUTE_MS;

/** By then a list of the cluster's objects is not older than the end of the claim. */
const LISTED_AFTER_MS = MINUTE_MS;

/** The process that ended the claim stopped before it removed the object. */
async function removeLeftover(
  { cluster, clock }: PortsOf<'nodeLifecycle'>,
  { claim: { name, terminatedAt = Number.POSITIVE_INFINITY } }: StoredNodeClaim,
): Promise<void> {
  if (clock.now() >= terminatedAt + LISTED_AFTER_MS) await cluster.removeNodeClaim(name);
}

/**
 * Removes a NodeClaim that the previous owner left behind with an instance that is gone, and its
 * Node: the sweep releases a deleted Node without an instance. A ready Node outweighs EC2's answer.
 */
async function removeWithoutInstance(
  { cluster, clock }: PortsOf<'nodeLifecycle'>,
  { name, createdAt, providerId }: NodeClaimObject,
  nodes: readonly Node[],
): Promise<void> {
  const own = nodes.filter((node) => node.providerId === providerId);
  if (clock.now() < createdAt + EC2_SHOWS_AFTER_MS || own.some(({ ready }) => ready)) return;
  for (const node of own) await cluster.deleteNode(node);
  await cluster.removeNodeClaim(name);
}

/**
 * Looks up by provider id if there is one: instances that Karpenter launched are not in our list.
 */
async function findInstance(
  { cloud }: Pick<Ports, 'cloud'>,
  { name, providerId }: NodeClaimObject,
): Promise<Instance | undefined> {
  const instance =
    providerId === undefined
      ? (await cloud.instances()).find(({ claim }) => claim === name)
      : await cloud.instance(providerId);
  return instance?.state === 'terminated' ? undefined : instance;
}

/** The class has to be evaluated first: until then its types are unknown, not out of capacity. */
async function launchStandalone(
  ports: PortsOf<'nodeLifecycle'>,
  object: NodeClaimObject,
  objects: ClaimObjects,
  expectedVersion: RecordVersion,
): Promise<boolean> {
  const pool = toSyntheticPool(object);
  const { instanceTypes, offerings } = await ports.cloud.catalogue([pool]);
  const types = ownValue(instanceTypes, pool.name) ?? [];
  const problem = findClassProblem(object, objects, types);
  if (problem) {
    await awaitNodeClass(ports, object, problem);
    return false;
  }
  return createStandaloneRecord(ports, object, { instanceTypes: types, offerings }, expectedVersion);
}

async function createStandaloneRecord(
  ports: PortsOf<'nodeLifecycle'>,
  object: NodeClaimObject,
  { instanceTypes, offerings }: Pick<StandaloneOffers, 'instanceTypes' | 'offerings'>,
  expectedVersion: RecordVersion,
): Promise<boolean> {
  const takenAt = ports.clock.now();
  const record = toStandaloneClaim(object, {
    takenAt,
    offerings,
    instanceTypes,
    unavailable: await ports.unavailableOfferings.list(takenAt),
  });
  if (!record) {
    await rejectForCapacity(ports, object.name);
    return false;
  }
  const prices = offerings
    .filter(({ instanceType }) => record.instanceTypes.includes(instanceType))
    .map(({ hourlyUsd }) => hourlyUsd);
  const claims = await listCountedClaims(ports, offerings);
  const launch = { cheapest: { hourlyUsd: Math.min(...prices) } };
  const retryAt = claims
    ? await findLaunchDelay(ports, {
        planned: [launch],
        claims,
        offerings,
        waiting: [object.name],
        now: takenAt,
      })
    : takenAt + RETRY_UNREADABLE_MS;
  if (retryAt !== undefined) {
    await ports.queue.send({ topic: 'claim', claim: object.name }, retryAt);
    return false;
  }
  // Shown before the launch: the finalizer has to exist before the instance.
  await storeClaim(ports, record, expectedVersion);
  return true;
}

/**
 * Lists the claims that count towards the limits of launches.
 *
 * @returns undefined if nothing is known of a claim whose record cannot be read
 */
async function listCountedClaims(
  { nodeClaims, cluster }: Pick<Ports, 'nodeClaims' | 'cluster'>,
  offerings: readonly Offering[],
): Promise<readonly NodeClaim[] | undefined> {
  const { records, unreadable } = await nodeClaims.list();
  const claims = records.map(({ claim }) => claim);
  if (unreadable.length === 0) return claims;
  const { standIns, missing } = findStandIns(unreadable, await cluster.observe(), offerings);
  return missing.length > 0 ? undefined : [...claims, ...standIns];
}

/** Reports and removes the claim like any claim without capacity. */
async function rejectForCapacity(
  { cluster, decisionLog, clock }: PortsOf<'nodeLifecycle'>,
  claim: string,
): Promise<void> {
  const at = clock.now();
  const until = at + FIRST_SHORTAGE_MS;
  await decisionLog.recordEvent({ kind: 'unavailable', at, offerings: [], until, claim });
  await cluster.removeNodeClaim(claim);
}
