import { allowsAbsence, allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import { matchesLabels, type Requirements } from '../../model/requirements/requirements.ts';
import {
  addBit,
  type Bitset,
  createEmptyBitset,
  forEachBit,
  isEmptyBitset,
  without,
} from '../data-structures/bitset.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import { isOfferingKey, narrowScope } from '../instance-types/offering-scope.ts';
import { listTypesOfClaim } from '../instance-types/type-index.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import { type DeviceInventory, getDeviceInventory, listReachableDevices, toSupply } from './device-inventory.ts';
import type { SuppliedDevice } from './device-pools.ts';
import type { DeviceHost, DeviceHostVariant, PlacementProblem } from './device-tracker.ts';

/**
 * Describes the devices of an existing node or claim. Until it is initialized they are predicted
 * from its instance type.
 */
export function toDeviceHost(existingNode: ExistingNode, problem: Problem): DeviceHost {
  const inventory = getDeviceInventory(problem);
  const isCertainToMeetAny = (terms: readonly Requirements[]) =>
    terms.some((term) => matchesLabels(term, existingNode.labels));
  if (existingNode.initialized || !existingNode.claim) {
    return {
      identity: existingNode,
      variants: [{ supply: inventory.getSupply(existingNode) }],
      isCertainToMeet: isCertainToMeetAny,
    };
  }
  const variants = listVariants(
    existingNode.claim.pool,
    listTypeNames(existingNode.claim, problem),
    inventory,
    isCertainToMeetAny,
  );
  return {
    identity: existingNode,
    variants: withoutUsedDevices(variants, existingNode, inventory, problem),
    isCertainToMeet: isCertainToMeetAny,
  };
}

/**
 * Removes predicted devices whose real counterparts are already in use: pods may be bound before
 * the node is initialized.
 */
function withoutUsedDevices(
  variants: readonly DeviceHostVariant[],
  { node }: ExistingNode,
  { local }: DeviceInventory,
  { devices: tracker }: PlacementProblem,
): readonly DeviceHostVariant[] {
  const visible = (local.get(node?.name ?? '') ?? []).flatMap(({ devices }) => devices);
  const used = new Set(visible.filter(({ id }) => tracker?.isInUse(id)).map(toDeviceName));
  if (used.size === 0) return variants;
  return variants.map(({ supply, ...variant }) => {
    const devices = supply.devices.filter((one) => !one.isPredicted || !used.has(toDeviceName(one)));
    return { ...variant, supply: { ...supply, devices } };
  });
}

const toDeviceName = ({ driver, device }: SuppliedDevice): string => `${driver}/${device.name}`;

const listTypeNames = (
  claim: NonNullable<ExistingNode['claim']>,
  { snapshot, typeIndex }: Problem,
): readonly string[] =>
  claim.launch
    ? [claim.launch.instanceType]
    : listTypesOfClaim(claim, snapshot.instanceTypes, typeIndex).map(({ name }) => name);

function listVariants(
  pool: string,
  types: readonly string[],
  inventory: DeviceInventory,
  isCertainToMeetAny: DeviceHost['isCertainToMeet'],
): readonly DeviceHostVariant[] {
  const predictions = new Set(types.map((type) => inventory.predicted(pool, type)));
  return [...predictions].map((prediction) => createVariant(prediction, inventory, isCertainToMeetAny, false));
}

function createVariant(
  prediction: DeviceSupply | undefined,
  { sharedPools }: DeviceInventory,
  isCertainToMeetAny: DeviceHost['isCertainToMeet'],
  isIncomplete: boolean,
): DeviceHostVariant {
  if (sharedPools.length === 0)
    return prediction ? { predicted: prediction, supply: prediction } : { supply: NO_SUPPLY };
  const reachableSupply = toSupply(listReachableDevices(sharedPools, isCertainToMeetAny));
  const reached = {
    ...reachableSupply,
    isIncomplete: reachableSupply.isIncomplete || isIncomplete,
  };
  if (!prediction) return { supply: reached };
  const supply = {
    devices: [...reached.devices, ...prediction.devices],
    counters: new Map([...reached.counters, ...prediction.counters]),
    isIncomplete: reached.isIncomplete,
  };
  return { predicted: prediction, supply };
}

const NO_SUPPLY: DeviceSupply = { devices: [], counters: new Map(), isIncomplete: false };

/** A new node, with the instance types of each variant. */
interface NewNodeDeviceHost extends DeviceHost {
  readonly typesOfVariant: readonly Bitset[];
}

/**
 * Describes the devices of a new node; types with equal predicted devices form one variant.
 *
 * @param identity - object that identifies the node
 */
export function toNewNodeDeviceHost(identity: object, opening: Opening, problem: Problem): NewNodeDeviceHost {
  const inventory = getDeviceInventory(problem);
  const { typeIndex } = problem;
  const isCertainToMeetAny = (terms: readonly Requirements[]) =>
    terms.some((term) => isCertainToMeet(term, opening, problem));
  const isIncomplete = inventory.sharedPools.some(({ terms }) =>
    terms.some((ofDevice) => ofDevice && isUndecided(ofDevice, opening, problem)),
  );
  const typesByPrediction = new Map<DeviceSupply | undefined, Bitset>();
  forEachBit(opening.types, (type) => {
    const prediction = inventory.predicted(opening.template.pool.name, typeIndex.types[type]?.name ?? '');
    const types = typesByPrediction.get(prediction) ?? createEmptyBitset(typeIndex.types.length);
    addBit(types, type);
    typesByPrediction.set(prediction, types);
  });
  return {
    identity,
    variants: [...typesByPrediction.keys()].map((prediction) =>
      createVariant(prediction, inventory, isCertainToMeetAny, isIncomplete),
    ),
    typesOfVariant: [...typesByPrediction.values()],
    isCertainToMeet: isCertainToMeetAny,
  };
}

/** True if it depends on the launched instance whether the node meets one of the terms. */
const isUndecided = (terms: readonly Requirements[], opening: Opening, problem: Problem): boolean =>
  terms.length > 0 &&
  !terms.some((term) => isCertainToMeet(term, opening, problem)) &&
  !terms.every((term) => isCertainToFail(term, opening, problem));

/** True if every node that may be launched meets the requirements. */
function isCertainToMeet(requirements: Requirements, opening: Opening, { typeIndex, offerings }: Problem): boolean {
  const { where, types, custom, template } = opening;
  const narrowed = narrowScope(requirements, where, offerings.zones);
  if (narrowed.zones !== where.zones || narrowed.capacityTypes !== where.capacityTypes) return false;
  return [...requirements].every(([key, requirement]) => {
    if (isOfferingKey(key)) return true;
    if (typeIndex.isDecidedByType(key) && !typeIndex.isLeftOpen(key)) {
      return isEmptyBitset(without(types, typeIndex.matching(new Map([[key, requirement]]))));
    }
    const provided = custom.get(key) ?? template.requirements.get(key);
    return provided ? isWithin(provided, requirement) : allowsAbsence(requirement);
  });
}

/**
 * True if no node that may be launched meets the requirements, because its zone or capacity type
 * differs.
 */
function isCertainToFail(requirements: Requirements, { where }: Opening, { offerings }: Problem): boolean {
  const narrowed = narrowScope(requirements, where, offerings.zones);
  return narrowed.zones === 0 || narrowed.capacityTypes === 0;
}

const isWithin = ({ complement, values }: Requirement, required: Requirement): boolean =>
  !complement && values.size > 0 && [...values].every((value) => allowsValue(required, value));
