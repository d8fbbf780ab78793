import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import {
  findConflict,
  intersectRequirements,
  type Requirements,
} from '../../../model/requirements/requirements.ts';
import { type PoolOption, findTypesHolding, type PodGroup } from '../../assignment/pod-groups.ts';
import {
  addBit,
  type Bitset,
  emptyBitset,
  intersection,
  someBit,
  union,
} from '../../data-structures/bitset.ts';
import { addTimes, at, sum, type Vector } from '../../data-structures/resource-vectors.ts';
import { listDeviceRoomOnNewNode, allocateDevicesOnNewNode } from '../../devices/device-room.ts';
import { type Allowance, withinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { typesByPrice } from '../../instance-types/offered-types.ts';
import type { OfferingScope } from '../../instance-types/offering-index.ts';
import { computeHostRoom, findPortConflict, hasPodsAnywhere } from '../../topology/host-rules.ts';
import { addCount } from '../../topology/topology-rules.ts';
import { cheapestType, type Draft, type Drafting } from './packing-state.ts';

/** Puts as many of `most` pods on the draft as it takes. @returns how many */
export function putOn(drafting: Drafting, draft: Draft, unit: PodGroup, most = unit.count): number {
  const joined = joining(drafting, draft, unit, most);
  if (!joined) return 0;
  const pods = roomWithMinValues(drafting, draft, unit, joined);
  if (pods > 0) commit(drafting, draft, unit, pods, joined);
  return pods;
}

/** What adding pods of a unit would leave of a draft. */
interface Joining {
  readonly room: number;
  readonly types: Bitset;
  readonly where: OfferingScope;
  readonly custom: Requirements;
}

/** How many of `most` pods the draft takes; undefined for none. */
export function joining(
  drafting: Drafting,
  draft: Draft,
  unit: PodGroup,
  most: number,
): Joining | undefined {
  const { problem, allowances } = drafting;
  if (isTooLarge(unit.request, draft.slack)) return undefined;
  const host = Math.min(most, draftHostRoom(drafting, draft, unit), portRoom(draft, unit));
  if (host === 0) return undefined;
  const option = unit.options.find(({ template }) => template === draft.template);
  const shared = option && sharedWith(draft, option);
  if (!shared) return undefined;
  const allowance = allowances.get(draft.template.pool.name);
  const allowed = allowance
    ? withinAllowance(shared.types, allowance, draft.charged, problem)
    : shared.types;
  const { where, custom } = shared;
  const types = intersection(allowed, problem.offerings.offered(where));
  const joined = withRoom(drafting, draft, unit, { types, where, custom }, host);
  return joined.room > 0 ? joined : undefined;
}

/** The most pods that any of the types holds, with devices for as many where they want some. */
function withRoom(
  { problem, devices }: Drafting,
  draft: Draft,
  unit: PodGroup,
  shared: Omit<Joining, 'room'>,
  most: number,
): Joining {
  const { types: all, where, custom } = shared;
  const place = { types: all, where, custom, template: draft.template };
  const rooms = listDeviceRoomOnNewNode(unit.cls.spec, devices, draft, place, most, problem);
  if (!rooms) {
    return { types: all, where, custom, room: mostOnAnyType(draft, unit, all, most, problem) };
  }
  const held = rooms
    .filter(({ room }) => room > 0)
    .map(({ types, room }) => ({ types, pods: mostOnAnyType(draft, unit, types, room, problem) }))
    .filter(({ pods }) => pods > 0);
  const types = held.reduce((all, one) => union(all, one.types), problem.typeIndex.none);
  return { ...shared, types, room: Math.max(0, ...held.map(({ pods }) => pods)) };
}

const isTooLarge = (request: Vector, slack: Vector): boolean => {
  for (let column = 0; column < request.length; column++) {
    if (at(request, column) > at(slack, column)) return true;
  }
  return false;
};

/** What is left to a draft if pods with `option` join it; undefined if they cannot. */
export function sharedWith(draft: Draft, option: PoolOption): Omit<Joining, 'room'> | undefined {
  const where = {
    zones: draft.where.zones & option.where.zones,
    capacityTypes: draft.where.capacityTypes & option.where.capacityTypes,
  };
  if (where.zones === 0 || where.capacityTypes === 0) return undefined;
  let { custom } = draft;
  if (option.custom !== draft.custom) {
    // Custom keys of one template are all defined by it, so only values can clash.
    if (findConflict(draft.custom, option.custom, new Set(option.custom.keys()))) return undefined;
    custom = intersectRequirements(draft.custom, option.custom);
  }
  const types =
    option.types === draft.types ? draft.types : intersection(draft.types, option.types);
  return { types, where, custom };
}

function draftHostRoom({ settled }: Drafting, draft: Draft, { topology }: PodGroup): number {
  if (topology.owned.length === 0 && topology.barredBy.length === 0) return Infinity;
  return computeHostRoom(topology, {
    count: (group) => draft.counts.get(group) ?? 0,
    owners: (group) => draft.owners.get(group) ?? 0,
    hasPods: (group) => settled.has(group) || hasPodsAnywhere(group),
  });
}

function portRoom({ hostPorts }: Draft, { cls: { spec } }: PodGroup): number {
  if (spec.hostPorts.length === 0) return Infinity;
  return findPortConflict(spec.hostPorts, hostPorts) ? 0 : 1;
}

/** The most pods of the unit, up to `enough`, that fit beside the contents on one of `types`. */
function mostOnAnyType(
  draft: Draft,
  unit: PodGroup,
  types: Bitset,
  enough: number,
  { typeIndex }: Problem,
): number {
  let most = 0;
  for (const group of draft.template.daemons) {
    if (findPortConflict(unit.cls.spec.hostPorts, group.hostPorts)) continue;
    const taken = sum(draft.used, group.overhead);
    someBit(intersection(types, group.types), (type) => {
      const allocatable = typeIndex.allocatable[type] ?? EMPTY;
      let pods = enough;
      for (const column of unit.requestedColumns) {
        const free = at(allocatable, column) - at(taken, column);
        pods = Math.min(pods, Math.floor(free / at(unit.request, column)));
        if (pods <= most) return false;
      }
      most = pods;
      return most === enough;
    });
  }
  return most;
}

const EMPTY: Vector = new Float64Array();

/** Puts `pods` of the unit on the draft; `joined` must come from `joining` with at least that room. */
export function commit(
  drafting: Drafting,
  draft: Draft,
  unit: PodGroup,
  pods: number,
  joined: Omit<Joining, 'room'>,
): void {
  const { problem, allowances, settled } = drafting;
  addTimes(draft.used, unit.request, pods);
  draft.where = joined.where;
  draft.custom = joined.custom;
  draft.types = intersection(
    joined.types,
    findTypesHolding(draft.template.daemons, draft.used, problem, unit.cls.spec),
  );
  allocateDevicesOnNewNode(unit.cls.spec, drafting.devices, draft, pods, problem);
  draft.contents.set(unit, (draft.contents.get(unit) ?? 0) + pods);
  draft.hostPorts.push(...unit.cls.spec.hostPorts);
  // Types only get fewer, so this stays at least what any of them has left.
  addTimes(draft.slack, unit.request, -pods);
  for (const group of unit.topology.countedBy) {
    if (group.key !== HOSTNAME_LABEL) continue;
    addCount(draft.counts, group, pods);
    settled.add(group);
  }
  for (const { group } of unit.topology.owned) {
    if (group.key === HOSTNAME_LABEL && group.kind === 'anti-affinity') {
      addCount(draft.owners, group, pods);
    }
  }
  unit.count -= pods;

  const allowance = allowances.get(draft.template.pool.name);
  if (allowance) charge(draft, allowance, problem);
}

/** Charges the limits with the cheapest type, which is the one that a launch takes if it can. */
function charge(draft: Draft, { left }: Allowance, problem: Problem): void {
  const capacity =
    draft.minValues.length > 0
      ? capacityToKeep(draft, problem)
      : (problem.typeIndex.capacity[cheapestType(draft, problem).type] ?? EMPTY);
  for (let column = 0; column < left.length; column++) {
    left[column] = at(left, column) + at(draft.charged, column) - at(capacity, column);
    draft.charged[column] = at(capacity, column);
  }
}

/** The most pods, up to `room`, with which the pool's minValues still hold. */
export function roomWithMinValues(
  drafting: Drafting,
  draft: Draft,
  unit: PodGroup,
  { types, room }: Joining,
): number {
  const { problem } = drafting;
  if (draft.minValues.length === 0) return room;
  const holds = (pods: number) => {
    const used = draft.used.slice();
    addTimes(used, unit.request, pods);
    const left = intersection(
      types,
      findTypesHolding(draft.template.daemons, used, problem, unit.cls.spec),
    );
    return findUnmetMinValues(draft.template, left, problem, draft.minValues) === undefined;
  };
  let [low, high] = [0, room];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The capacity that limits must leave for a draft with minValues: as many types as those need. */
function capacityToKeep(
  draft: Pick<Draft, 'types' | 'where' | 'template' | 'minValues' | 'used'>,
  problem: Problem,
): Vector {
  const { typeIndex } = problem;
  const kept = emptyBitset(typeIndex.types.length);
  const capacity = new Float64Array(draft.used.length);
  for (const type of typesByPrice(draft, problem)) {
    addBit(kept, type);
    for (let column = 0; column < capacity.length; column++) {
      capacity[column] = Math.max(
        at(capacity, column),
        at(typeIndex.capacity[type] ?? NOTHING, column),
      );
    }
    if (!findUnmetMinValues(draft.template, kept, problem, draft.minValues)) break;
  }
  return capacity;
}

const NOTHING: Vector = new Float64Array();
