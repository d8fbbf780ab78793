import type { InstanceType } from '../model/instance-type.ts';
import type { AmiFamily, EC2NodeClass } from '../model/node-class.ts';
import { subtractResources } from '../model/resources.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { CapacitySettings } from './capacity.ts';
import { capacityOf, DEFAULT_SETTINGS } from './capacity.ts';
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

/** Whether images of the family boot on the type. */
function boots({ family, arch }: Ec2Type, amiFamily: AmiFamily): boolean {
  // AL2023 is built for newer cores than the first Graviton's.
  if (amiFamily === 'AL2023' && family === 'a1') return false;
  return AMI_FAMILIES[amiFamily].os === 'linux' || arch === 'amd64';
}

const derive = (nodeClass: EC2NodeClass): readonly InstanceType[] =>
  EC2_TYPES.filter((type) => type.zones.length > 0 && boots(type, nodeClass.amiFamily)).map(
    (type) => toInstanceType(type, nodeClass),
  );

/** The fields that the list depends on: what NodeClasses may differ in and still share it. */
const contentOf = ({
  amiFamily,
  kubelet,
  rootVolumeBytes,
  instanceStorePolicy,
}: EC2NodeClass): string =>
  JSON.stringify([amiFamily, kubelet, rootVolumeBytes, instanceStorePolicy]);

/** Calls `work` once for each content; the result is a pure function of it, so sharing is safe. */
function oncePerContent<T>(work: (nodeClass: EC2NodeClass) => T): (nodeClass: EC2NodeClass) => T {
  const known = new Map<string, T>();
  return (nodeClass) => {
    const content = contentOf(nodeClass);
    const result = known.get(content) ?? work(nodeClass);
    known.set(content, result);
    return result;
  };
}

/**
 * Every type that some zone of the region offers and the NodeClass's images boot on, sorted by name.
 * NodeClasses of equal content get the same list.
 */
export const instanceTypesOf: (nodeClass: EC2NodeClass) => readonly InstanceType[] =
  oncePerContent(derive);
