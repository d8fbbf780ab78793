/*
 * A deleted cluster cannot drain its nodes, and no controller can ask its API server for the owner: the
 * instances would run and cost money for ever. EKS is therefore asked each minute.
 *
 *     found, our certificate authority   not found, each minute              one hour later
 *     -----------------------------------+-----------------------------------+-------------> time
 *     the ARN is recorded                | `missing.since` is recorded       | instances, launch
 *                                        |                                   | templates and instance
 *     anything but "not found" ----------+- starts the hour again            | profiles are ended
 *
 * - Only a cluster that EKS itself has shown with our certificate authority can be missing. A wrong
 *   name, region or account ends nothing.
 * - An outage, a denied or a failed call says nothing about the cluster.
 * - A cluster that was created again under the old name is another cluster: nothing is ended.
 * - Launch templates and instance profiles go whatever their age: no launch can name them any more,
 *   because every launch begins with a read of the API server.
 * - The functions and `mortise controller` both ask. They share the record, and ending twice is no error.
 */

import { forEachConcurrently, runSequentially } from '../../model/concurrency.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import type {
  ClusterLookup,
  ClusterRegistry,
  ClusterResources,
  ClusterSighting,
  ClusterSightings,
} from '../../ports/deleted-cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { withAdoptedInstances } from '../support/adopted-instances.ts';
import { isSameCluster } from '../support/ownership.ts';
import { isLiveInstance } from './leaked-instances.ts';

/** After a longer break between two answers, the wait starts again. */
const MAX_GAP_MS = 10 * MINUTE_MS;

export interface DeletedClusterPorts extends Pick<Ports, 'clock' | 'cloud' | 'nodeClaims' | 'decisionLog'> {
  readonly registry: ClusterRegistry;
  readonly sightings: ClusterSightings;
  readonly identities: ClusterIdentities;
  readonly resources: ClusterResources;
}

export interface DeletedClusterSettings {
  /** The identity of the cluster that this process was deployed for. */
  readonly own: ClusterIdentity;
  /** How long EKS must not have the cluster. */
  readonly afterMs: number;
}

/** Ends what a deleted cluster has left in the account. Needs no API server. */
export async function reconcileDeletedCluster(
  ports: DeletedClusterPorts,
  { own, afterMs }: DeletedClusterSettings,
): Promise<void> {
  const recorded = await ports.identities.remember(own);
  // The table belongs to another cluster, and its records are not ours to act on.
  if (!isSameCluster(recorded, own)) return;

  const lookup = await ports.registry.find();
  const now = ports.clock.now();
  const before = (await ports.sightings.read()) ?? {};
  const sighting = updateSighting(before, lookup, recorded, now);
  if (isChanged(sighting, before)) await ports.sightings.write(sighting);

  const { arn, missing } = sighting;
  if (arn === undefined || !missing || now - missing.since < afterMs) return;
  await endEverything(ports, { arn, since: missing.since });
}

const isChanged = (a: ClusterSighting, b: ClusterSighting): boolean =>
  a.arn !== b.arn || a.missing?.since !== b.missing?.since || a.missing?.lastAt !== b.missing?.lastAt;

/**
 * Records the answer of EKS.
 *
 * @param recorded - the identity of the cluster that the table belongs to
 */
function updateSighting(
  { arn, missing }: ClusterSighting,
  lookup: ClusterLookup,
  recorded: ClusterIdentity,
  now: EpochMs,
): ClusterSighting {
  switch (lookup.outcome) {
    case 'found':
      return isSameCluster(recorded, lookup.identity) ? { arn: lookup.identity.arn } : {};
    case 'unknown':
      return arn === undefined ? {} : { arn };
    case 'not-found': {
      if (arn === undefined) return {};
      const isInARow = missing !== undefined && now - missing.lastAt <= MAX_GAP_MS;
      return { arn, missing: { since: isInARow ? missing.since : now, lastAt: now } };
    }
  }
}

/** Instance profiles that an instance still uses are left to the next sweep. */
async function endEverything(
  ports: DeletedClusterPorts,
  deleted: { readonly arn: string; readonly since: EpochMs },
): Promise<void> {
  const { cloud, resources, decisionLog, clock } = ports;
  const at = clock.now();
  const providerIds = await listInstances(ports);
  const instances = providerIds.length;
  // Repeated with each sweep, so that the alarm stays until the stack is deleted.
  await decisionLog.recordEvent({ kind: 'cluster-deleted', at, ...deleted, instances });
  await runSequentially([
    () => forEachConcurrently(providerIds, (providerId) => cloud.terminate(providerId)),
    () => resources.removeTemplates(),
    () => resources.removeProfiles(),
  ]);
}

/** Instances that Mortise launched, and those that it has adopted from Karpenter. */
async function listInstances(ports: DeletedClusterPorts): Promise<readonly string[]> {
  const { cloud, nodeClaims } = ports;
  const [launched, stored] = await Promise.all([cloud.instances(), nodeClaims.list()]);
  const claims = stored.records.map(({ claim }) => claim);
  const instances = await withAdoptedInstances(ports, launched, claims);
  return instances.filter(isLiveInstance).map(({ providerId }) => providerId);
}
