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
import type { EvaluatedPacking } from '../evaluation/evaluate-packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { findTypesFor } from './resize-nodes.ts';

/**
 * Gives displaced pods new nodes of their own. Their old room stays free for the pods that
 * displaced them.
 *
 * @param share - share of the pods that move, at most 1: often some are enough for all to fit
 */
export function withOwnNodes(
  evaluated: EvaluatedPacking,
  displaced: readonly DisplacedPods[],
  units: readonly Unit[],
  share = 1,
): Packing | undefined {
  const drafting = copyOfDrafting(evaluated.packing.drafting);
  const moving = new Map<Unit, number>();
  for (const one of displaced) {
    const unit = findPodGroup(one, evaluated, units);
    if (unit) moving.set(unit, (moving.get(unit) ?? 0) + one.pods);
  }
  const taken = [...moving].flatMap(([unit, pods]): Unit[] => {
    const count = clear(drafting.drafts, unit, Math.ceil(pods * share));
    return count > 0 ? [{ ...unit, count }] : [];
  });
  return taken.length === 0 ? undefined : withPodsOnNewNodes(evaluated.packing, drafting, taken);
}

/** Finds a pod group of the class that may be placed where a node would take the displaced pods. */
function findPodGroup(
  { cls, nodes: numbers }: DisplacedPods,
  { nodes }: EvaluatedPacking,
  units: readonly Unit[],
): Unit | undefined {
  const own = units.filter((unit) => unit.cls === cls);
  const labelSets = numbers.map((number) => nodes[number]?.kind.labels ?? {});
  return own.find((unit) => labelSets.some((labels) => isPlacedAt(unit, labels))) ?? own[0];
}

const isPlacedAt = ({ pins }: Unit, labels: Labels): boolean =>
  [...pins].every(([key, domain]) => labels[key] === domain);

/**
 * Adds new nodes for pods that were taken off `drafting`. Returns undefined if a pod finds no node,
 * or if more nodes belong to pools of too low a weight.
 *
 * @param perNodeUsd - assumed cost of a node beside its instance, in USD per hour
 */
export function withPodsOnNewNodes(
  packing: Packing,
  drafting: Drafting,
  taken: readonly Unit[],
  perNodeUsd?: number,
): Packing | undefined {
  const before = drafting.drafts.length;
  packByPrice(drafting, taken, perNodeUsd);
  if (taken.some(({ count }) => count > 0)) return undefined;
  if (countTooLightNodes(drafting) > countTooLightNodes(packing.drafting)) return undefined;
  settleLimits({ ...drafting, drafts: drafting.drafts.slice(before) });
  return repriced(packing, drafting);
}

/** Counts the nodes of pools of too low a weight for their pods. */
const countTooLightNodes = ({ drafts }: Drafting): number => drafts.filter(isTooLight).length;

/**
 * Moves all pods of a class to nodes that hold at most `computeMaxPods` of them. Larger pods do not fit
 * there, so that kube-scheduler cannot bind them in their place.
 */
export function withSmallNodes(
  cls: PodClass,
  maxPods: number,
  packing: Packing,
  units: readonly Unit[],
  problem: Problem,
): Packing | undefined {
  const drafting = copyOfDrafting(packing.drafting);
  const taken = units.flatMap((unit): Unit[] => {
    if (unit.cls !== cls || isHeldTogether(unit)) return [];
    const count = takeAllOff(drafting, unit, problem);
    return count > 0 ? [{ ...unit, count, options: listSmallOptions(unit, maxPods, problem) }] : [];
  });
  return taken.length === 0 ? undefined : withPodsOnNewNodes(packing, drafting, taken);
}

/**
 * Removes nodes that become empty, and lets the others become smaller. Returns the number of pods
 * taken.
 */
function takeAllOff(drafting: Drafting, wanted: Unit, problem: Problem): number {
  let taken = 0;
  for (const draft of [...drafting.drafts]) {
    const before = taken;
    for (const [unit, count] of draft.contents) {
      if (!isCopyOf(unit, wanted)) continue;
      takeOff(draft, unit, count);
      taken += count;
    }
    if (taken > before) shrinkOrDiscard(drafting, draft, problem);
  }
  return taken;
}

function shrinkOrDiscard(drafting: Drafting, draft: Draft, problem: Problem): void {
  if (draft.contents.size === 0) discardDraft(drafting, draft);
  // The limits were computed for the node's current types.
  else if (!drafting.allowances.has(draft.template.pool.name)) {
    draft.types = findTypesFor(draft, draft.spare, problem);
  }
}

const listSmallOptions = ({ options, request }: Unit, maxPods: number, problem: Problem) =>
  options.flatMap((option): Unit['options'] => {
    const tooMany = request.map((amount) => amount * (maxPods + 1));
    const large = typesHolding(option.template.daemons, tooMany, problem);
    const types = without(option.types, large);
    return isEmptyBitset(types) ? [] : [{ ...option, types }];
  });
