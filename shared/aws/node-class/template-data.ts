import type {
  LaunchTemplateBlockDeviceMappingRequest,
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
  LaunchTemplatePlacementRequest,
  RequestLaunchTemplateData,
  Tag,
} from '@aws-sdk/client-ec2';
import type { BlockDevice } from '../../ec2/node-class/launch-template/block-devices.ts';
import type { NetworkInterface } from '../../ec2/node-class/launch-template/network-interfaces.ts';
import type { TemplateContent } from '../../ec2/node-class/launch-template/template-content.ts';

/** Regions that refuse the field for IPv6 instance metadata. */
const WITHOUT_METADATA_IPV6: ReadonlySet<string> = new Set([
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-south-1',
  'us-isof-east-1',
]);

/** Converts a template's content to EC2's format. */
export function toTemplateData(content: TemplateContent, region: string): RequestLaunchTemplateData {
  const { imageId, instanceProfile, userData, blockDevices, isSpot } = content;
  const { nestedVirtualization, networkInterfaces, securityGroups, tags } = content;
  return {
    ImageId: imageId,
    IamInstanceProfile: { Name: instanceProfile },
    UserData: Buffer.from(userData).toString('base64'),
    ...(blockDevices.length > 0 && { BlockDeviceMappings: blockDevices.map(toBlockDevice) }),
    MetadataOptions: toMetadataOptions(content.metadata, region),
    Monitoring: { Enabled: content.detailedMonitoring },
    // Security groups belong to the interfaces: EC2 refuses them in both places.
    NetworkInterfaces: networkInterfaces.map((one) => toNetworkInterface(one, securityGroups)),
    Placement: toPlacement(content),
    ...toReservation(content),
    EnclaveOptions: { Enabled: content.hasEnclaves },
    ...(nestedVirtualization && { CpuOptions: { NestedVirtualization: nestedVirtualization } }),
    TagSpecifications: [
      { ResourceType: 'network-interface', Tags: toTags(tags) },
      ...(isSpot ? [{ ResourceType: 'spot-instances-request' as const, Tags: toTags(tags) }] : []),
    ],
  };
}

function toPlacement({ tenancy, placement }: TemplateContent): LaunchTemplatePlacementRequest {
  return {
    Tenancy: tenancy,
    ...(placement && { GroupId: placement.groupId }),
    ...(placement?.partition !== undefined && { PartitionNumber: placement.partition }),
  };
}

/**
 * Without this setting EC2 would place instances into open reservations, which other plans count
 * on.
 */
function toReservation({
  reservation,
}: TemplateContent): Pick<RequestLaunchTemplateData, 'CapacityReservationSpecification' | 'InstanceMarketOptions'> {
  if (!reservation) {
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  }
  const { id, kind, isInterruptible } = reservation;
  const market = kind === 'default' ? INTERRUPTIBLE : kind;
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: id },
    },
    ...((kind === 'capacity-block' || isInterruptible) && {
      InstanceMarketOptions: { MarketType: market },
    }),
  };
}

const INTERRUPTIBLE = 'interruptible-capacity-reservation';

export const toTags = (tags: Readonly<Record<string, string>>): Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

function toMetadataOptions(
  written: TemplateContent['metadata'],
  region: string,
): RequestLaunchTemplateData['MetadataOptions'] {
  const { httpEndpoint, httpProtocolIPv6, httpPutResponseHopLimit, httpTokens } = written;
  return {
    HttpEndpoint: httpEndpoint,
    ...(!WITHOUT_METADATA_IPV6.has(region) && { HttpProtocolIpv6: httpProtocolIPv6 }),
    HttpPutResponseHopLimit: httpPutResponseHopLimit,
    HttpTokens: httpTokens,
    // Tag keys of Mortise contain a slash, which EC2 does not allow in instance metadata.
    InstanceMetadataTags: 'disabled',
  };
}

function toBlockDevice({ deviceName, ebs }: BlockDevice): LaunchTemplateBlockDeviceMappingRequest {
  return {
    ...(deviceName !== undefined && { DeviceName: deviceName }),
    ...(ebs && {
      Ebs: {
        VolumeSize: ebs.sizeGib,
        VolumeType: ebs.type,
        SnapshotId: ebs.snapshotId,
        Encrypted: ebs.encrypted,
        DeleteOnTermination: ebs.deleteOnTermination,
        Iops: ebs.iops,
        Throughput: ebs.throughput,
        VolumeInitializationRate: ebs.initializationRate,
        KmsKeyId: ebs.kmsKeyId,
      },
    }),
  };
}

function toNetworkInterface(
  one: NetworkInterface,
  securityGroups: readonly string[],
): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest {
  const { ipv6, connectionTracking } = one;
  return {
    // The index of the first card is left out: types with one card refuse it.
    ...(one.networkCard > 0 && { NetworkCardIndex: one.networkCard }),
    DeviceIndex: one.device,
    InterfaceType: one.type,
    Groups: [...securityGroups],
    AssociatePublicIpAddress: one.publicAddress,
    Ipv4PrefixCount: one.ipv4Prefixes,
    ...(ipv6 && { PrimaryIpv6: true, Ipv6AddressCount: 1, Ipv6PrefixCount: ipv6.prefixes }),
    ...(connectionTracking && {
      ConnectionTrackingSpecification: {
        TcpEstablishedTimeout: connectionTracking.tcpEstablished,
        UdpStreamTimeout: connectionTracking.udpStream,
        UdpTimeout: connectionTracking.udp,
      },
    }),
  };
}
