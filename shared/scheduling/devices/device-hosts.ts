import { matchesLabels, type Requirements } from '../../model/requirements.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import type { Problem } from '../input/problem.ts';
import { addBit, type Bitset, emptyBitset, forEachBit, isEmptyBitset, without } from '../data-structures/bitset.ts';
import { typesOfClaim } from '../instance-types/type-index.ts';
import type { Shelf } from './allocate-devices.ts';
import type { DeviceHost, HostKind } from './device-tracker.ts';
import { type DeviceFacts, deviceFacts, reachedDevices, shelfFrom } from './device-inventory.ts';
import type { ShelfDevice } from './device-pools.ts';
import { allowsAbsence, allowsValue, type Requirement } from '../../model/requirement.ts';
import { isPlace, whereAllowed } from '../instance-types/offering-scope.ts';

/** A node or claim that is there. Until it is initialized its devices are those of its type. */
export function hostOfBin(bin: ExistingBin, problem: Problem): DeviceHost {
  const facts = deviceFacts(problem);
  const reaches = (terms: readonly Requirements[]) =>
    terms.some((term) => matchesLabels(term, bin.labels));
  if (bin.initialized || !bin.claim) {
    return { is: bin, kinds: [{ shelf: facts.shelfOf(bin) }], reaches };
  }
  const kinds = kindsOf(bin.claim.pool, typeNames(bin.claim, problem), facts, reaches);
  return { is: bin, kinds: withoutBusy(kinds, bin, facts, problem), reaches };
}

/** Pods may have come while the node settles: devices of the same names are theirs. */
function withoutBusy(
  kinds: readonly HostKind[],
  { node }: ExistingBin,
  { local }: DeviceFacts,
  { devices: book }: Problem,
): readonly HostKind[] {
  const shown = (local.get(node?.name ?? '') ?? []).flatMap(({ devices }) => devices);
  const busy = new Set(shown.filter(({ id }) => book?.isInUse(id)).map(nameOf));
  if (busy.size === 0) return kinds;
  return kinds.map(({ shelf, ...kind }) => {
    const devices = shelf.devices.filter((one) => !one.isComing || !busy.has(nameOf(one)));
    return { ...kind, shelf: { ...shelf, devices } };
  });
}

const nameOf = ({ driver, device }: ShelfDevice): string => `${driver}/${device.name}`;

const typeNames = (
  claim: NonNullable<ExistingBin['claim']>,
  { snapshot, index }: Problem,
): readonly string[] =>
  claim.launch
    ? [claim.launch.instanceType]
    : typesOfClaim(claim, snapshot.instanceTypes, index).map(({ name }) => name);

function kindsOf(
  pool: string,
  types: readonly string[],
  facts: DeviceFacts,
  reaches: DeviceHost['reaches'],
): readonly HostKind[] {
  const owns = new Set(types.map((type) => facts.coming(pool, type)));
  return [...owns].map((own) => kindWith(own, facts, reaches, false));
}

function kindWith(
  own: Shelf | undefined,
  { spread }: DeviceFacts,
  reaches: DeviceHost['reaches'],
  mayReachMore: boolean,
): HostKind {
  if (spread.length === 0) return own ? { own, shelf: own } : { shelf: NO_DEVICES };
  const found = shelfFrom(reachedDevices(spread, reaches));
  const reached = { ...found, isOpen: found.isOpen || mayReachMore };
  if (!own) return { shelf: reached };
  const shelf = {
    devices: [...reached.devices, ...own.devices],
    counters: new Map([...reached.counters, ...own.counters]),
    isOpen: reached.isOpen,
  };
  return { own, shelf };
}

const NO_DEVICES: Shelf = { devices: [], counters: new Map(), isOpen: false };

/** A node to launch, with the types that each of its kinds stands for. */
interface DraftHost extends DeviceHost {
  readonly typesOfKind: readonly Bitset[];
}

/**
 * @param is - what tells the node from others
 * @param place - types that know the same devices are one kind
 */
export function hostOfDraft(is: object, place: Opening, problem: Problem): DraftHost {
  const facts = deviceFacts(problem);
  const { index } = problem;
  const reaches = (terms: readonly Requirements[]) =>
    terms.some((term) => surelyMeets(term, place, problem));
  const mayReachMore = facts.spread.some(({ terms }) =>
    terms.some((ofDevice) => ofDevice && isUndecided(ofDevice, place, problem)),
  );
  const byOwn = new Map<Shelf | undefined, Bitset>();
  forEachBit(place.types, (type) => {
    const own = facts.coming(place.template.pool.name, index.types[type]?.name ?? '');
    const types = byOwn.get(own) ?? emptyBitset(index.types.length);
    addBit(types, type);
    byOwn.set(own, types);
  });
  return {
    is,
    kinds: [...byOwn.keys()].map((own) => kindWith(own, facts, reaches, mayReachMore)),
    typesOfKind: [...byOwn.values()],
    reaches,
  };
}

/** Whether it depends on what becomes of the node. */
const isUndecided = (terms: readonly Requirements[], place: Opening, problem: Problem): boolean =>
  terms.length > 0 &&
  !terms.some((term) => surelyMeets(term, place, problem)) &&
  !terms.every((term) => surelyFails(term, place, problem));

/** Whether every node that may come of it meets the requirements. */
function surelyMeets(
  requirements: Requirements,
  place: Opening,
  { index, offerings }: Problem,
): boolean {
  const { where, types, custom, template } = place;
  const allowed = whereAllowed(requirements, where, offerings.zones);
  if (allowed.zones !== where.zones || allowed.capacityTypes !== where.capacityTypes) return false;
  return [...requirements].every(([key, requirement]) => {
    if (isPlace(key)) return true;
    if (index.decides(key) && !index.leavesOpen(key)) {
      return isEmptyBitset(without(types, index.matching(new Map([[key, requirement]]))));
    }
    const given = custom.get(key) ?? template.requirements.get(key);
    return given ? isWithin(given, requirement) : allowsAbsence(requirement);
  });
}

/** Whether no node that may come of it meets the requirements, for it is elsewhere. */
function surelyFails(
  requirements: Requirements,
  { where }: Opening,
  { offerings }: Problem,
): boolean {
  const allowed = whereAllowed(requirements, where, offerings.zones);
  return allowed.zones === 0 || allowed.capacityTypes === 0;
}

const isWithin = ({ complement, values }: Requirement, wanted: Requirement): boolean =>
  !complement && values.size > 0 && [...values].every((value) => allowsValue(wanted, value));
