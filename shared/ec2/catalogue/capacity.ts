import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import { GIB, MIB, type Resources } from '../../model/resources.ts';
import { DEFAULT_SIZES, type SizeSettings } from '../../model/settings.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { Ec2Type } from './ec2-types.ts';
import { computeMaxPods } from './max-pods.ts';

const DECIMAL_GB = 1e9;

/** Computes the bytes of the disk that holds pods' writable layers, logs and emptyDirs. */
function computeEphemeralStorageBytes(
  { storageGb }: Ec2Type,
  { amiFamily, instanceStorePolicy, rootVolumeBytes }: EC2NodeClass,
): number {
  // EC2 sizes instance disks in decimal gigabytes and volumes in binary ones.
  if (instanceStorePolicy === 'RAID0' && storageGb) return storageGb * DECIMAL_GB;
  return rootVolumeBytes ?? AMI_FAMILIES[amiFamily].rootVolumeGib * GIB;
}

/** Settings of the whole cluster. */
export interface CapacitySettings extends SizeSettings {
  /** The memory that nodes of the type have reported; undefined to estimate it. */
  readonly memoryBytes?: number;
}

/** Graviton instances report 64 MiB less than advertised. */
const ARM_FIRMWARE_MIB = 64;

/**
 * Estimates the memory that the node will report, in MiB. The estimate is below the advertised
 * size, because a node that is smaller than planned cannot run its pods.
 */
export function computeMemoryMib({ arch, memoryMib: computeMemoryMib }: Ec2Type, memoryOverhead: number): number {
  const visible = arch === 'arm64' ? computeMemoryMib - ARM_FIRMWARE_MIB : computeMemoryMib;
  return visible - Math.ceil(visible * memoryOverhead);
}

/** Resource names of the vendors' device plugins, by manufacturer. */
const GPU_RESOURCES: Readonly<Record<string, string>> = {
  nvidia: 'nvidia.com/gpu',
  amd: 'amd.com/gpu',
  habana: 'habana.ai/gaudi',
};

function computeGpuCapacity({ gpus }: Ec2Type): Resources {
  const capacity: Record<string, number> = {};
  for (const { manufacturer, count } of gpus) {
    const resource = GPU_RESOURCES[manufacturer];
    if (resource) capacity[resource] = (capacity[resource] ?? 0) + count;
  }
  return capacity;
}

/** Counts all EFA interfaces of the type, unless the class lists its interfaces. */
const countEfaInterfaces = (type: Ec2Type, { networkInterfaces }: EC2NodeClass): number =>
  networkInterfaces ? networkInterfaces.filter((one) => one.type === 'efa-only').length : type.efaInterfaces;

/** Computes `status.capacity` of a node of this type. Resources with the amount 0 are left out. */
export function computeCapacity(
  type: Ec2Type,
  nodeClass: EC2NodeClass,
  settings: CapacitySettings = DEFAULT_SIZES,
): Resources {
  const isWindows = AMI_FAMILIES[nodeClass.amiFamily].os === 'windows';
  const all: Resources = {
    cpu: type.cpu * 1000,
    memory: settings.memoryBytes ?? computeMemoryMib(type, settings.memoryOverhead) * MIB,
    'ephemeral-storage': computeEphemeralStorageBytes(type, nodeClass),
    pods: computeMaxPods(type, nodeClass, settings.reservedEnis),
    ...computeGpuCapacity(type),
    'aws.amazon.com/neuron': type.neuron?.devices ?? 0,
    'aws.amazon.com/neuroncore': type.neuron?.cores ?? 0,
    'vpc.amazonaws.com/efa': countEfaInterfaces(type, nodeClass),
    'vpc.amazonaws.com/pod-eni': type.branchEnis,
    'vpc.amazonaws.com/PrivateIPv4Address': isWindows ? type.ipv4PerEni - 1 : 0,
  };
  return Object.fromEntries(Object.entries(all).filter(([, amount]) => amount !== 0));
}
