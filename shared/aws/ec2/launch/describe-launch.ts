import { computeClassHash } from '../../../api/stored-objects/static-drift.ts';
import { findImage } from '../../../ec2/node-class/image-choice.ts';
import { findPartition } from '../../../ec2/node-class/launch-template/partition.ts';
import { LaunchFailedError } from '../../../model/errors.ts';
import { PARTITION_LABEL, ZONE_ID_LABEL } from '../../../model/labels.ts';
import type { Launch, NodeClaim } from '../../../model/nodes/node-claim.ts';
import { buildLaunchLabels } from '../../../model/offerings/claim-offerings.ts';
import type { InstanceType, Offering } from '../../../model/offerings/instance-type.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { ResolvedNodeClass } from '../../../ports/node-classes.ts';
import { toProviderId } from '../instances/ec2-instances.ts';
import type { FleetInstance } from './fleet-response.ts';

/** The data besides the instance that a `Launch` is built from. */
export interface LaunchContext {
  readonly region: string;
  readonly resolved: ResolvedNodeClass;
  /** See `Launch.setup`. */
  readonly setup: string;
  readonly types: ReadonlyMap<string, InstanceType>;
  /** Includes the offerings of the class's reservations. */
  readonly offeringsOf: (instanceType: string) => readonly Offering[];
  /** The prices of the offerings are weights. */
  readonly unpriced: boolean;
}

/**
 * Builds the `Launch` of a claim from its instance.
 *
 * @throws LaunchFailedError - the catalogue lost the type or its price since the launch
 */
export function buildLaunch(
  claim: NodeClaim,
  { region, resolved, setup, types, offeringsOf, unpriced }: LaunchContext,
  instance: FleetInstance,
  at: EpochMs,
): Launch {
  const { id, instanceType, zone, capacityType } = instance;
  const type = types.get(instanceType);
  const offerings = offeringsOf(instanceType);
  const offering = offerings.find((one) => one.zone === zone && one.capacityType === capacityType) ?? offerings[0];
  if (!type || !offering) {
    throw new LaunchFailedError(claim.name, 'LaunchFailed', `${instanceType} is not known`);
  }
  const zoneId = resolved.subnets.find((subnet) => subnet.zone === zone)?.zoneId;
  const { images, placementGroup, instanceProfile } = resolved;
  const image = findImage(images, type.labels);
  return {
    providerId: toProviderId(zone, id),
    instanceType,
    zone,
    capacityType,
    hourlyUsd: unpriced ? 0 : offering.hourlyUsd,
    at,
    labels: {
      ...buildLaunchLabels(claim, region, type, instance),
      ...(zoneId !== undefined && { [ZONE_ID_LABEL]: zoneId }),
      ...(placementGroup?.strategy === 'partition' && {
        [PARTITION_LABEL]: findPartition(claim, placementGroup) ?? '',
      }),
    },
    ...(image && { imageId: image.id }),
    setup,
    ...(instance.subnetId !== undefined && { subnetId: instance.subnetId }),
    securityGroupIds: resolved.securityGroups.map(({ id: group }) => group),
    ...(instanceProfile !== undefined && { instanceProfile }),
    ...toClassHash(resolved),
    ...computeResources(claim, type, resolved),
  };
}

const EFA = 'vpc.amazonaws.com/efa';

/** EFA resources exist only if the claim requests them or the class lists network interfaces. */
function computeResources(
  { requests }: NodeClaim,
  { capacity, allocatable }: InstanceType,
  { written }: ResolvedNodeClass,
): Pick<Launch, 'capacity' | 'allocatable'> {
  const isListed = (written.spec.networkInterfaces ?? []).length > 0;
  if (isListed || (requests[EFA] ?? 0) > 0) return { capacity, allocatable };
  const { [EFA]: _, ...ofCapacity } = capacity;
  const { [EFA]: __, ...ofAllocatable } = allocatable;
  return { capacity: ofCapacity, allocatable: ofAllocatable };
}

/** The hash of the class that the node was created from; the node drifts when the class changes. */
function toClassHash({
  name,
  written,
  cluster,
}: ResolvedNodeClass): Pick<Launch, 'nodeClassHash' | 'nodeClassHashVersion'> {
  const marks = computeClassHash(name, written, cluster.certificateAuthority);
  return marks ? { nodeClassHash: marks.hash, nodeClassHashVersion: marks.version } : {};
}
