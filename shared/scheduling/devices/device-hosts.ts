import {
  allowsAbsence,
  allowsValue,
  type Requirement,
} from '../../model/requirements/requirement.ts';
import { matchesLabels, type Requirements } from '../../model/requirements/requirements.ts';
import {
  addBit,
  type Bitset,
  emptyBitset,
  forEachBit,
  isEmptyBitset,
  without,
} from '../data-structures/bitset.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import { isOfferingKey, narrowScope } from '../instance-types/offering-scope.ts';
import { listTypesOfClaim } from '../instance-types/type-index.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import {
  type DeviceInventory,
  getDeviceInventory,
  listReachableDevices,
  toSupply,
} from './device-inventory.ts';
import type { SuppliedDevice } from './device-pools.ts';
import type { DeviceHost, DeviceHostVariant, PlacementProblem } from './device-tracker.ts';

/** A node or claim that is there. Until it is initialized its devices are those of its type. */
export function toDeviceHost(bin: ExistingBin, problem: Problem): DeviceHost {
  const inventory = getDeviceInventory(problem);
  const isCertainToMeetAny = (terms: readonly Requirements[]) =>
    terms.some((term) => matchesLabels(term, bin.labels));
  if (bin.initialized || !bin.claim) {
    return {
      identity: bin,
      variants: [{ supply: inventory.getSupply(bin) }],
      isCertainToMeet: isCertainToMeetAny,
    };
  }
  const kinds = listVariants(
    bin.claim.pool,
    listTypeNames(bin.claim, problem),
    inventory,
    isCertainToMeetAny,
  );
  return {
    identity: bin,
    variants: withoutUsedDevices(kinds, bin, inventory, problem),
    isCertainToMeet: isCertainToMeetAny,
  };
}

/** Pods may have come while the node settles: devices of the same names are theirs. */
function withoutUsedDevices(
  variants: readonly DeviceHostVariant[],
  { node }: ExistingBin,
  { local }: DeviceInventory,
  { devices: tracker }: PlacementProblem,
): readonly DeviceHostVariant[] {
  const visible = (local.get(node?.name ?? '') ?? []).flatMap(({ devices }) => devices);
  const used = new Set(visible.filter(({ id }) => tracker?.isInUse(id)).map(toDeviceName));
  if (used.size === 0) return variants;
  return variants.map(({ supply, ...variant }) => {
    const devices = supply.devices.filter(
      (one) => !one.isPredicted || !used.has(toDeviceName(one)),
    );
    return { ...variant, supply: { ...supply, devices } };
  });
}

const toDeviceName = ({ driver, device }: SuppliedDevice): string => `${driver}/${device.name}`;

const listTypeNames = (
  claim: NonNullable<ExistingBin['claim']>,
  { snapshot, index }: Problem,
): readonly string[] =>
  claim.launch
    ? [claim.launch.instanceType]
    : listTypesOfClaim(claim, snapshot.instanceTypes, index).map(({ name }) => name);

function listVariants(
  pool: string,
  types: readonly string[],
  inventory: DeviceInventory,
  isCertainToMeetAny: DeviceHost['isCertainToMeet'],
): readonly DeviceHostVariant[] {
  const predictions = new Set(types.map((type) => inventory.predicted(pool, type)));
  return [...predictions].map((prediction) =>
    createVariant(prediction, inventory, isCertainToMeetAny, false),
  );
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

/** A node to launch, with the types that each of its kinds stands for. */
interface NewNodeDeviceHost extends DeviceHost {
  readonly typesOfVariant: readonly Bitset[];
}

/**
 * @param identity - what tells the node from others
 * @param opening - types that know the same devices are one kind
 */
export function toNewNodeDeviceHost(
  identity: object,
  opening: Opening,
  problem: Problem,
): NewNodeDeviceHost {
  const inventory = getDeviceInventory(problem);
  const { index } = problem;
  const isCertainToMeetAny = (terms: readonly Requirements[]) =>
    terms.some((term) => isCertainToMeet(term, opening, problem));
  const isIncomplete = inventory.sharedPools.some(({ terms }) =>
    terms.some((ofDevice) => ofDevice && isUndecided(ofDevice, opening, problem)),
  );
  const typesByPrediction = new Map<DeviceSupply | undefined, Bitset>();
  forEachBit(opening.types, (type) => {
    const prediction = inventory.predicted(
      opening.template.pool.name,
      index.types[type]?.name ?? '',
    );
    const types = typesByPrediction.get(prediction) ?? emptyBitset(index.types.length);
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

/** Whether it depends on what becomes of the node. */
const isUndecided = (terms: readonly Requirements[], opening: Opening, problem: Problem): boolean =>
  terms.length > 0 &&
  !terms.some((term) => isCertainToMeet(term, opening, problem)) &&
  !terms.every((term) => isCertainToFail(term, opening, problem));

/** Whether every node that may come of it meets the requirements. */
function isCertainToMeet(
  requirements: Requirements,
  opening: Opening,
  { index, offerings }: Problem,
): boolean {
  const { where, types, custom, template } = opening;
  const narrowed = narrowScope(requirements, where, offerings.zones);
  if (narrowed.zones !== where.zones || narrowed.capacityTypes !== where.capacityTypes)
    return false;
  return [...requirements].every(([key, requirement]) => {
    if (isOfferingKey(key)) return true;
    if (index.isDecidedByType(key) && !index.isLeftOpen(key)) {
      return isEmptyBitset(without(types, index.matching(new Map([[key, requirement]]))));
    }
    const provided = custom.get(key) ?? template.requirements.get(key);
    return provided ? isWithin(provided, requirement) : allowsAbsence(requirement);
  });
}

/** Whether no node that may come of it meets the requirements, for it is elsewhere. */
function isCertainToFail(
  requirements: Requirements,
  { where }: Opening,
  { offerings }: Problem,
): boolean {
  const narrowed = narrowScope(requirements, where, offerings.zones);
  return narrowed.zones === 0 || narrowed.capacityTypes === 0;
}

const isWithin = ({ complement, values }: Requirement, required: Requirement): boolean =>
  !complement && values.size > 0 && [...values].every((value) => allowsValue(required, value));
