import type { InstanceType } from '../../model/instance-type.ts';
import type { EC2NodeClass } from '../../model/node-class.ts';
import { subtractResources } from '../../model/resources.ts';
import { USUAL_SIZES } from '../../model/settings.ts';
import { type CapacitySettings, capacityOf } from './capacity.ts';
import { whyIncompatible } from './compatibility.ts';
import type { Ec2Type } from './ec2-types.ts';
import { EC2_TYPES } from './ec2-types.ts';
import { labelsOf, TENANCIES } from './type-labels.ts';
import { overheadOf } from './overhead.ts';
import { type SettleSettings, settledKubelet } from './effective-kubelet.ts';

/** How types are reckoned. */
export interface TypeSettings extends CapacitySettings, SettleSettings {}

/**
 * The type as nodes of this NodeClass would run it.
 *
 * @returns absent: the class computes how many pods that is, and for this type it cannot
 */
export function toInstanceType(
  type: Ec2Type,
  written: EC2NodeClass,
  settings: TypeSettings = USUAL_SIZES,
): InstanceType | undefined {
  const settled = settledKubelet(type, written, settings);
  if (!settled) return undefined;
  const nodeClass = { ...written, kubelet: settled.kubelet };
  const capacity = capacityOf(type, nodeClass, settings);
  return {
    name: type.name,
    labels: labelsOf(type, nodeClass.amiFamily),
    choices: TENANCIES,
    capacity,
    allocatable: subtractResources(capacity, overheadOf(type, nodeClass, capacity, settings)),
    ...(settled.reserves && { reserves: settled.reserves }),
  };
}

const derive = (
  nodeClass: EC2NodeClass,
  newer: readonly Ec2Type[],
  settings: TypeSettings,
): readonly InstanceType[] =>
  [...EC2_TYPES, ...newer]
    .filter((type) => whyIncompatible(type, nodeClass) === undefined)
    .flatMap((type) => toInstanceType(type, nodeClass, settings) ?? [])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The fields that the list depends on: what NodeClasses may differ in and still share it. */
const contentOf = (
  {
    amiFamily,
    kubelet,
    rootVolumeBytes,
    instanceStorePolicy,
    networkInterfaces,
    nestsVirtualization,
    tracksConnections,
  }: EC2NodeClass,
  { memoryOverhead, reservedEnis, compute }: TypeSettings,
): string =>
  JSON.stringify([
    [amiFamily, kubelet, rootVolumeBytes, instanceStorePolicy],
    [networkInterfaces, nestsVirtualization, tracksConnections],
    [memoryOverhead, reservedEnis, compute !== undefined],
  ]);

const NONE: readonly Ec2Type[] = [];

// By the list of newer types, then by content; the result is a pure function of both.
const known = new WeakMap<readonly Ec2Type[], Map<string, readonly InstanceType[]>>();

/**
 * Every type that can do what the NodeClass asks for, by name, whether it is sold here or not.
 * NodeClasses of equal content get the same list.
 *
 * @param newer - types that EC2 has brought out since this release
 */
export function instanceTypesOf(
  nodeClass: EC2NodeClass,
  newer: readonly Ec2Type[] = NONE,
  settings: TypeSettings = USUAL_SIZES,
): readonly InstanceType[] {
  const lists = known.get(newer) ?? new Map<string, readonly InstanceType[]>();
  known.set(newer, lists);
  const content = contentOf(nodeClass, settings);
  const list = lists.get(content) ?? derive(nodeClass, newer, settings);
  lists.set(content, list);
  return list;
}
