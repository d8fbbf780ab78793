import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { FIRST_SHORTAGE_MS } from '../../model/offerings/shortages.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Stored, Version } from '../../ports/records.ts';
import { storeClaim } from '../support/claim-writes.ts';
import { findShiftAwayFrom } from '../zonal-shift/shifted-zones.ts';
import { adoptInstances } from './adoption.ts';
import { toSyntheticPool, toStandaloneClaim } from './standalone-claim.ts';

/**
 * Gives a NodeClaim a record that has none. One that somebody wrote by hand gets an instance as well;
 * where there is an instance already, whoever launched it, it is adopted; one that is to go and has
 * nothing to lose is let go.
 *
 * @param ended - the record of an earlier claim of this name, which is over
 * @returns whether there is a new record that goes on now
 */
export async function hydrateClaim(ports: Ports, name: string, ended?: Stored): Promise<boolean> {
  const objects = await ports.cluster.observe();
  const object = objects.nodeClaims.find((candidate) => candidate.name === name);
  if (!object || isViewOfEnded(ended, object)) return false;

  const { providerId } = object;
  // Whether there is an instance EC2 cannot be asked now: the next sweep tries again.
  if (providerId !== undefined && (await findShiftAwayFrom(ports, providerId))) return false;
  const instance = await findInstance(ports, object);
  if (instance) {
    const node = objects.nodes.find((one) => one.providerId === instance.providerId);
    await adoptInstances(ports, [{ instance, object, ...(node && { node }) }], objects);
    return false;
  }
  if (object.deletionAt !== undefined) {
    await ports.cluster.removeNodeClaim(name);
    return false;
  }
  // What it says of an instance that is gone, its owner has yet to find out.
  return providerId === undefined && createStandaloneRecord(ports, object, ended?.version ?? 0);
}

/** What is seen late of a claim that is over is no new claim. */
const isViewOfEnded = (ended: Stored | undefined, { createdAt, deletionAt }: NodeClaimObject): boolean =>
  deletionAt === undefined && createdAt <= (ended?.claim.terminatedAt ?? Number.NEGATIVE_INFINITY);

/** By its id, where there is one: what Karpenter launched is in no list of ours. */
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

async function createStandaloneRecord(ports: Ports, object: NodeClaimObject, expectedVersion: Version): Promise<boolean> {
  const takenAt = ports.clock.now();
  const pool = toSyntheticPool(object);
  const { instanceTypes, offerings } = await ports.cloud.catalogue([pool]);
  const record = toStandaloneClaim(object, {
    takenAt,
    offerings,
    instanceTypes: instanceTypes[pool.name] ?? [],
    unavailable: await ports.unavailableOfferings.list(takenAt),
  });
  if (!record) {
    await rejectForCapacity(ports, object.name);
    return false;
  }
  // Shown before it is launched: the finalizer is there before there is anything to hold.
  await storeClaim(ports, record, expectedVersion);
  return true;
}

/** As any claim that EC2 has nothing for. */
async function rejectForCapacity({ cluster, journal, clock }: Ports, claim: string): Promise<void> {
  const at = clock.now();
  const until = at + FIRST_SHORTAGE_MS;
  await journal.happened({ kind: 'unavailable', at, offerings: [], until, claim });
  await cluster.removeNodeClaim(claim);
}
