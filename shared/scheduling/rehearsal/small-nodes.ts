import { type Draft, type Drafting, discardDraft } from '../packing/drafts.ts';
import type { Packing } from '../packing/packing.ts';
import { copyOfDrafting, isCopyOf, isHeldTogether, takeOff } from '../packing/spare-room.ts';
import { typesHolding, type Unit } from '../packing/units.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import { isEmptyBitset, without } from '../types/bitset.ts';
import { onNewNodes } from './new-nodes.ts';
import { typesFor } from './other-sizes.ts';

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
