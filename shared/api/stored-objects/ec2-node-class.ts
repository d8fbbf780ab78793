import type * as z from 'zod';
import type { AmiFamily, EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodeClassRef } from '../../model/nodes/node-pool.ts';
import { amountOf, formatQuantity, parseQuantity } from '../../model/quantity.ts';
import { EPHEMERAL_STORAGE } from '../../model/resources.ts';
import { AMI_FAMILIES } from '../custom-resources/ami-terms.ts';
import { EC2_NODE_CLASS } from '../custom-resources/ec2-node-class.ts';
import type { ParseResult } from '../finding.ts';
import { canonicalText, staticHash } from '../static-hash.ts';
import { readKubelet } from './kubelet.ts';
import { storedSchema } from './stored-schema.ts';

/**
 * An EC2NodeClass as the API server stores it. An object without a spec is refused, because it
 * cannot launch nodes.
 */
export const ec2NodeClassSchema = storedSchema(EC2_NODE_CLASS);
export type WrittenEC2NodeClass = z.output<typeof ec2NodeClassSchema>;

type Spec = WrittenEC2NodeClass['spec'];
type BlockDeviceMapping = NonNullable<Spec['blockDeviceMappings']>[number];

/** Reads the part of the class that instance types and launches depend on. */
export function readEC2NodeClass(name: string, { metadata, spec }: WrittenEC2NodeClass): ParseResult<EC2NodeClass> {
  const amiFamily = resolveFamily(spec);
  const rootVolumeBytes = findRootVolumeBytes(spec.blockDeviceMappings ?? [], amiFamily);
  return {
    outcome: 'read',
    value: {
      name,
      uid: metadata.uid ?? `ec2nodeclass-${name}`,
      amiFamily,
      kubelet: readKubelet(spec.kubelet ?? {}),
      ...(rootVolumeBytes !== undefined && { rootVolumeBytes }),
      ...(spec.instanceStorePolicy && { instanceStorePolicy: spec.instanceStorePolicy }),
      ...readTypeRequirements(spec),
      hash: computeNodeClassHash(spec),
    },
  };
}

/** Reads settings that only some instance types support. */
function readTypeRequirements({
  networkInterfaces = [],
  cpuOptions,
  connectionTracking,
  enclaveOptions,
}: Spec): Pick<EC2NodeClass, 'networkInterfaces' | 'nestsVirtualization' | 'tracksConnections' | 'runsEnclaves'> {
  return {
    ...(networkInterfaces.length > 0 && {
      networkInterfaces: networkInterfaces.map((one) => ({
        card: one.networkCardIndex,
        device: one.deviceIndex,
        type: one.interfaceType,
      })),
    }),
    ...(cpuOptions?.nestedVirtualization === 'enabled' && { nestsVirtualization: true }),
    ...(connectionTracking && { tracksConnections: true }),
    ...(enclaveOptions?.enabled && { runsEnclaves: true }),
  };
}

/**
 * The field amiFamily takes precedence over the alias's family. It can only repeat that family or
 * replace it by Custom.
 */
const resolveFamily = ({ amiFamily, amiSelectorTerms }: Spec): WrittenAmiFamily =>
  amiFamily ??
  amiSelectorTerms.map(({ alias = '' }) => findAliasFamily(alias)).find((family) => family !== undefined) ??
  'Custom';

const POD_DEVICES: Readonly<Record<Exclude<AmiFamily, 'Custom'>, string>> = {
  AL2: '/dev/xvda',
  AL2023: '/dev/xvda',
  Bottlerocket: '/dev/xvdb',
  Windows2019: '/dev/sda1',
  Windows2022: '/dev/sda1',
  Windows2025: '/dev/sda1',
};

/** Finds the size of the volume that holds ephemeral storage, if a mapping sets it. */
function findRootVolumeBytes(mappings: readonly BlockDeviceMapping[], family: AmiFamily): number | undefined {
  const ofFamily =
    family === 'Custom' ? mappings.at(-1) : mappings.find(({ deviceName }) => deviceName === POD_DEVICES[family]);
  const mapping = mappings.find(({ rootVolume }) => rootVolume) ?? ofFamily;
  const size = parseQuantity(mapping?.ebs?.volumeSize ?? '');
  return size && amountOf(EPHEMERAL_STORAGE, size);
}

/**
 * Hashes the fields that all nodes of a class share. Selectors are compared by the resources that
 * they match.
 */
const computeNodeClassHash = (spec: Spec): string =>
  staticHash({
    amiFamily: resolveFamily(spec),
    // As one text, so that kubelet fields cannot be confused with others.
    kubelet: spec.kubelet && canonicalText(spec.kubelet),
    placementGroupSelector: spec.placementGroupSelector,
    associatePublicIPAddress: spec.associatePublicIPAddress,
    userData: spec.userData,
    role: spec.role,
    instanceProfile: spec.instanceProfile,
    tags: spec.tags,
    blockDeviceMappings: spec.blockDeviceMappings?.map(toHashedMapping),
    instanceStorePolicy: spec.instanceStorePolicy,
    networkInterfaces: spec.networkInterfaces,
    detailedMonitoring: spec.detailedMonitoring,
    metadataOptions: spec.metadataOptions,
    connectionTracking: spec.connectionTracking,
    context: spec.context,
    cpuOptions: spec.cpuOptions,
    // Without enclaves a node is the same whether the field is written or not.
    enclaveOptions: spec.enclaveOptions?.enabled ? spec.enclaveOptions : undefined,
  });

/** Normalises `1024Gi` to `1Ti` and `rootVolume: false` to absent. */
function toHashedMapping({ deviceName, rootVolume, ebs }: BlockDeviceMapping): object {
  const size = parseQuantity(ebs?.volumeSize ?? '');
  return {
    deviceName,
    rootVolume: rootVolume || undefined,
    ebs: ebs && { ...ebs, volumeSize: size && formatQuantity(size) },
  };
}

type WrittenAmiFamily = (typeof AMI_FAMILIES)[number];

/** Finds the AMI family of an alias such as `al2023@latest`. */
export function findAliasFamily(alias: string): WrittenAmiFamily | undefined {
  const [name = ''] = alias.split('@');
  // Custom is not an alias.
  return AMI_FAMILIES.find((family) => family !== 'Custom' && family.toLowerCase() === name);
}

/**
 * True if the reference is to an EC2NodeClass. Another kind belongs to another provider, with its
 * pools.
 */
export const isOurClass = ({ group, kind }: NodeClassRef): boolean =>
  group === 'karpenter.k8s.aws' && kind === 'EC2NodeClass';
