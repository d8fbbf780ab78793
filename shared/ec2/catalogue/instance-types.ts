import { getOrCreate } from '../../model/memo.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { subtractResources } from '../../model/resources.ts';
import { DEFAULT_SIZES } from '../../model/settings.ts';
import { type CapacitySettings, computeCapacity } from './capacity.ts';
import { findIncompatibility } from './compatibility.ts';
import type { Ec2Type } from './ec2-types.ts';
import { EC2_TYPES } from './ec2-types.ts';
import { computeEffectiveKubelet, type EffectiveKubeletSettings } from './effective-kubelet.ts';
import { computeOverhead } from './overhead.ts';
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
