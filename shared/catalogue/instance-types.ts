import type { InstanceType } from '../model/instance-type.ts';
import type { EC2NodeClass } from '../model/node-class.ts';
import { subtractResources } from '../model/resources.ts';
import type { CapacitySettings } from './capacity.ts';
import { capacityOf, DEFAULT_SETTINGS } from './capacity.ts';
import { whyIncompatible } from './compatibility.ts';
import type { Ec2Type } from './ec2-types.ts';
import { EC2_TYPES } from './ec2-types.ts';
import { labelsOf, TENANCIES } from './labels.ts';
import { overheadOf } from './overhead.ts';

/** The type as nodes of this NodeClass would run it. */
export function toInstanceType(
  type: Ec2Type,
  nodeClass: EC2NodeClass,
  settings: CapacitySettings = DEFAULT_SETTINGS,
): InstanceType {
  const capacity = capacityOf(type, nodeClass, settings);
  return {
    name: type.name,
    labels: labelsOf(type, nodeClass.amiFamily),
    choices: TENANCIES,
    capacity,
    allocatable: subtractResources(capacity, overheadOf(type, nodeClass, capacity, settings)),
  };
}

const derive = (nodeClass: EC2NodeClass, newer: readonly Ec2Type[]): readonly InstanceType[] =>
  [...EC2_TYPES, ...newer]
    .filter((type) => whyIncompatible(type, nodeClass) === undefined)
    .map((type) => toInstanceType(type, nodeClass))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The fields that the list depends on: what NodeClasses may differ in and still share it. */
const contentOf = ({
  amiFamily,
  kubelet,
  rootVolumeBytes,
  instanceStorePolicy,
  networkInterfaces,
  nestsVirtualization,
  tracksConnections,
}: EC2NodeClass): string =>
  JSON.stringify([
    [amiFamily, kubelet, rootVolumeBytes, instanceStorePolicy],
    [networkInterfaces, nestsVirtualization, tracksConnections],
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
): readonly InstanceType[] {
  const lists = known.get(newer) ?? new Map<string, readonly InstanceType[]>();
  known.set(newer, lists);
  const content = contentOf(nodeClass);
  const list = lists.get(content) ?? derive(nodeClass, newer);
  lists.set(content, list);
  return list;
}
