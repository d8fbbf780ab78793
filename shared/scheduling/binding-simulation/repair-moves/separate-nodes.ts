import type { Labels } from '../../../model/labels.ts';
import { typesHolding, type Unit } from '../../assignment/pod-groups.ts';
import { isEmptyBitset, without } from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { type Draft, type Drafting, discardDraft } from '../../packing/new-nodes/packing-state.ts';
import { settleLimits } from '../../packing/new-nodes/resolve-limits.ts';
import {
  clear,
  copyOfDrafting,
  isCopyOf,
  isHeldTogether,
  isTooLight,
  repriced,
  takeOff,
} from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { Trial } from '../evaluation/evaluate-packing.ts';
import type { Displaced } from '../scheduler-model/simulate-binding.ts';
import { typesFor } from './resize-nodes.ts';

/**
 * Nodes of their own for displaced pods: where they were to go stays room for who displaced them.
 *
 * @param part - how many of them, at most 1: often some are enough for the others too
 */
export function withNodesFor(
  trial: Trial,
  displaced: readonly Displaced[],
  units: readonly Unit[],
  part = 1,
): Packing | undefined {
  const drafting = copyOfDrafting(trial.packing.drafting);
  const moving = new Map<Unit, number>();
  for (const one of displaced) {
    const unit = unitOf(one, trial, units);
    if (unit) moving.set(unit, (moving.get(unit) ?? 0) + one.pods);
  }
  const taken = [...moving].flatMap(([unit, pods]): Unit[] => {
    const count = clear(drafting.drafts, unit, Math.ceil(pods * part));
    return count > 0 ? [{ ...unit, count }] : [];
  });
  return taken.length === 0 ? undefined : onNewNodes(trial.packing, drafting, taken);
}

/** Of the class's units, one that may go where there is a host for the displaced pods. */
function unitOf(
  { cls, hosts: numbers }: Displaced,
  { hosts }: Trial,
  units: readonly Unit[],
): Unit | undefined {
  const own = units.filter((unit) => unit.cls === cls);
  const places = numbers.map((number) => hosts[number]?.kind.labels ?? {});
  return own.find((unit) => places.some((labels) => isPlacedAt(unit, labels))) ?? own[0];
}

const isPlacedAt = ({ pins }: Unit, labels: Labels): boolean =>
  [...pins].every(([key, domain]) => labels[key] === domain);

/**
 * The packing with `drafting`, and with new nodes for the pods that were taken off it; undefined
 * where some find none, or only one of a pool that is not theirs.
 *
 * @param perNodeUsd - to pack as if each node cost so much beside its instance
 */
export function onNewNodes(
  packing: Packing,
  drafting: Drafting,
  taken: readonly Unit[],
  perNodeUsd?: number,
): Packing | undefined {
  const before = drafting.drafts.length;
  packByPrice(drafting, taken, perNodeUsd);
  if (taken.some(({ count }) => count > 0)) return undefined;
  if (lightOf(drafting) > lightOf(packing.drafting)) return undefined;
  settleLimits({ ...drafting, drafts: drafting.drafts.slice(before) });
  return repriced(packing, drafting);
}

/** How many nodes would be of a pool that none of their pods needs. */
const lightOf = ({ drafts }: Drafting): number => drafts.filter(isTooLight).length;

/**
 * All pods of a class on nodes that hold no more than `most` of them: larger pods do not fit there,
 * so they cannot be bound in their place.
 */
export function withSmallNodesFor(
  cls: PodClass,
  most: number,
  packing: Packing,
  units: readonly Unit[],
  problem: Problem,
): Packing | undefined {
  const drafting = copyOfDrafting(packing.drafting);
  const taken = units.flatMap((unit): Unit[] => {
    if (unit.cls !== cls || isHeldTogether(unit)) return [];
    const count = takeAllOff(drafting, unit, problem);
    return count > 0 ? [{ ...unit, count, options: smallOptions(unit, most, problem) }] : [];
  });
  return taken.length === 0 ? undefined : onNewNodes(packing, drafting, taken);
}

/** @returns how many; drafts that are empty then are gone, others may be smaller */
function takeAllOff(drafting: Drafting, wanted: Unit, problem: Problem): number {
  let taken = 0;
  for (const draft of [...drafting.drafts]) {
    const before = taken;
    for (const [unit, count] of draft.contents) {
      if (!isCopyOf(unit, wanted)) continue;
      takeOff(draft, unit, count);
      taken += count;
    }
    if (taken > before) settle(drafting, draft, problem);
  }
  return taken;
}

function settle(drafting: Drafting, draft: Draft, problem: Problem): void {
  if (draft.contents.size === 0) discardDraft(drafting, draft);
  // Limits were settled for the types that it has.
  else if (!drafting.allowances.has(draft.template.pool.name)) {
    draft.types = typesFor(draft, draft.spare, problem);
  }
}

const smallOptions = ({ options, request }: Unit, most: number, problem: Problem) =>
  options.flatMap((option): Unit['options'] => {
    const tooMany = request.map((amount) => amount * (most + 1));
    const large = typesHolding(option.template.daemons, tooMany, problem);
    const types = without(option.types, large);
    return isEmptyBitset(types) ? [] : [{ ...option, types }];
  });
