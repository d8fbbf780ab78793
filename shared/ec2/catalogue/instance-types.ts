import { getOrCreate } from '../../model/memo.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { amountOf, parseQuantity } from '../../model/quantity.ts';
import { addResources, GIB, MEMORY, MIB, type Resources, subtractResources } from '../../model/resources.ts';
import { DEFAULT_SIZES } from '../../model/settings.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import { type CapacitySettings, computeCapacity } from './capacity.ts';
import { findIncompatibility } from './compatibility.ts';
import { EC2_TYPES, type Ec2Type } from './ec2-types.ts';
import { computeEffectiveKubelet, type EffectiveKubeletSettings } from './effective-kubelet.ts';
import { computeMaxPods, countEniPods } from './max-pods.ts';
import { buildTypeLabels, TENANCIES } from './type-labels.ts';

/** The settings that instance types are computed with. */
export interface TypeSettings extends CapacitySettings, EffectiveKubeletSettings {}

/**
 * Converts an EC2 type to the instance type that nodes of the class would have.
 *
 * @returns undefined if the class's expression for `maxPods` fails for this type
 */
export function toInstanceType(
  type: Ec2Type,
  written: EC2NodeClass,
  settings: TypeSettings = DEFAULT_SIZES,
): InstanceType | undefined {
  const effective = computeEffectiveKubelet(type, written, settings);
  if (!effective) return undefined;
  const nodeClass = { ...written, kubelet: effective.kubelet };
  const capacity = computeCapacity(type, nodeClass, settings);
  return {
    name: type.name,
    labels: buildTypeLabels(type, nodeClass.amiFamily),
    choices: TENANCIES,
    capacity,
    allocatable: subtractResources(capacity, computeOverhead(type, nodeClass, capacity, settings)),
    ...(effective.reserves && { reserves: effective.reserves }),
  };
}

const deriveTypes = (
  nodeClass: EC2NodeClass,
  newer: readonly Ec2Type[],
  settings: TypeSettings,
): readonly InstanceType[] =>
  [...EC2_TYPES, ...newer]
    .filter((type) => findIncompatibility(type, nodeClass) === undefined)
    .flatMap((type) => toInstanceType(type, nodeClass, settings) ?? [])
    .filter(canStart)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** False if the kubelet would reserve more than the node has, such as for the 110 pods of Windows on a nano type. */
const canStart = ({ allocatable }: InstanceType): boolean => Object.values(allocatable).every((amount) => amount >= 0);

/** The fields that the list depends on. NodeClasses that are equal in them share a list. */
const toCacheKey = (
  {
    amiFamily,
    kubelet,
    rootVolumeBytes,
    instanceStorePolicy,
    networkInterfaces,
    nestsVirtualization,
    tracksConnections,
    runsEnclaves,
  }: EC2NodeClass,
  { memoryOverhead, reservedEnis, compute }: TypeSettings,
): string =>
  JSON.stringify([
    [amiFamily, kubelet, rootVolumeBytes, instanceStorePolicy],
    [networkInterfaces, nestsVirtualization, tracksConnections, runsEnclaves],
    [memoryOverhead, reservedEnis, compute !== undefined],
  ]);

const NO_TYPES: readonly Ec2Type[] = [];

// Cached by the list of newer types, then by key; the result depends on nothing else.
const listsByNewerTypes = new WeakMap<readonly Ec2Type[], Map<string, readonly InstanceType[]>>();

/**
 * Lists every type that is compatible with the NodeClass, by name, whether EC2 offers it here or
 * not. NodeClasses with equal content get the same list object.
 *
 * @param newer - types that are newer than this release
 */
export function listInstanceTypes(
  nodeClass: EC2NodeClass,
  newer: readonly Ec2Type[] = NO_TYPES,
  settings: TypeSettings = DEFAULT_SIZES,
): readonly InstanceType[] {
  const lists = getOrCreate(listsByNewerTypes, newer, () => new Map());
  const key = toCacheKey(nodeClass, settings);
  return getOrCreate(lists, key, () => deriveTypes(nodeClass, newer, settings));
}

/** [cores, share]: 6 % of the first core, 1 % of the second, 0.5 % of the next two, then 0.25 %. */
const CPU_BANDS = [
  [1, 0.06],
  [1, 0.01],
  [2, 0.005],
  [Infinity, 0.0025],
] as const;

/**
 * Computes the CPU that the kubelet and container runtime reserve, in millicores.
 *
 * @see amazon-eks-ami, get_cpu_millicores_to_reserve
 */
export function computeKubeReservedCpuMilli(cores: number): number {
  let remainingCores = cores;
  let reserved = 0;
  for (const [width, share] of CPU_BANDS) {
    const inBand = Math.min(remainingCores, width);
    reserved += Math.trunc(inBand * 1000 * share);
    remainingCores -= inBand;
  }
  return reserved;
}

/**
 * Computes the memory that the kubelet reserves, in MiB; it depends on the number of pods, not on
 * the node's size.
 *
 * @see amazon-eks-ami, get_memory_mebibytes_to_reserve
 */
const computeKubeReservedMemoryMib = (pods: number): number => 11 * pods + 255;

/** Computes `kubeReserved`. Amounts that the NodeClass sets replace the defaults per resource. */
export function computeKubeReserved(
  type: Ec2Type,
  nodeClass: Pick<EC2NodeClass, 'amiFamily' | 'kubelet' | 'networkInterfaces'>,
  { reservedEnis }: CapacitySettings = DEFAULT_SIZES,
): Resources {
  const pods = AMI_FAMILIES[nodeClass.amiFamily].reservesForEniPods
    ? countEniPods(type, 0, nodeClass)
    : computeMaxPods(type, nodeClass, reservedEnis);
  return {
    cpu: computeKubeReservedCpuMilli(type.cpu),
    memory: computeKubeReservedMemoryMib(pods) * MIB,
    'ephemeral-storage': GIB,
    ...nodeClass.kubelet.kubeReserved,
  };
}

/** The kubelet's defaults, for signals that the NodeClass does not set. */
const DEFAULT_EVICTION = { 'memory.available': '100Mi', 'nodefs.available': '10%' } as const;

/** Computes the memory and disk below which the kubelet evicts pods, so pods cannot use them. */
export function computeEvictionReserve({ kubelet }: Pick<EC2NodeClass, 'kubelet'>, capacity: Resources): Resources {
  const reserve = (signal: keyof typeof DEFAULT_EVICTION, amount = 0): number =>
    parseEvictionThreshold(kubelet.evictionHard?.[signal] ?? '', amount) ??
    parseEvictionThreshold(DEFAULT_EVICTION[signal], amount) ??
    0;
  return {
    memory: reserve('memory.available', capacity.memory),
    'ephemeral-storage': reserve('nodefs.available', capacity['ephemeral-storage']),
  };
}

/** Computes the difference between capacity and allocatable. */
export const computeOverhead = (
  type: Ec2Type,
  nodeClass: Pick<EC2NodeClass, 'amiFamily' | 'kubelet' | 'networkInterfaces'>,
  capacity: Resources,
  settings: CapacitySettings = DEFAULT_SIZES,
): Resources =>
  addResources(
    computeKubeReserved(type, nodeClass, settings),
    nodeClass.kubelet.systemReserved ?? {},
    computeEvictionReserve(nodeClass, capacity),
  );

const PERCENTAGE = /^(\d+(?:\.\d+)?)%$/;

/**
 * Parses an eviction threshold to bytes. 100 % switches the signal off.
 *
 * @param threshold - as in `evictionHard`: `500Mi`, or `10%` of `capacity`
 * @returns undefined for other text: the NodeClass accepts it, the kubelet would refuse it
 */
export function parseEvictionThreshold(threshold: string, capacity: number): number | undefined {
  const percentage = PERCENTAGE.exec(threshold)?.[1];
  if (percentage !== undefined) {
    return Number(percentage) === 100 ? 0 : Math.ceil((capacity * Number(percentage)) / 100);
  }
  const quantity = parseQuantity(threshold);
  return quantity && amountOf(MEMORY, quantity);
}
