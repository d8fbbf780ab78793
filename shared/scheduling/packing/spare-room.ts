import type { Problem } from '../problem.ts';
import { addTimes } from '../vectors.ts';
import { commit, type Draft, type Drafting, joining } from './drafts.ts';
import { type Construction, type Packing, pack } from './packing.ts';
import type { Unit } from './units.ts';

/** Pods that room is wanted for beside those that are there, by unit. */
export type Spares = ReadonlyMap<Unit, number>;

/**
 * Packs as if there were more pods, and keeps their room free: whoever is displaced by pods that
 * kube-scheduler puts elsewhere finds it. Undefined where a node would be left without any pod, or
 * without the pod for whose sake it is of a lighter pool.
 */
export function packWithSpares(
  problem: Problem,
  units: readonly Unit[],
  spares: Spares,
  construct: Construction,
): Packing | undefined {
  const grown = units.map((unit) => ({ ...unit, count: unit.count + (spares.get(unit) ?? 0) }));
  const packing = pack(problem, grown, construct);
  const { drafting } = packing;
  const lightBefore = drafting.drafts.filter(isTooLight).length;
  for (const [unit, wanted] of spares) {
    const isSame = (other: Unit) => isCopyOf(other, unit);
    const [lost = 0] = [...packing.left].filter(([left]) => isSame(left)).map(([, pods]) => pods);
    let spare = wanted - Math.min(wanted, lost);
    // Nodes that keep a pod give theirs first.
    for (const keep of [1, 0]) spare -= clear(drafting.drafts, isSame, spare, keep);
  }
  const emptied = drafting.drafts.filter(({ contents }) => contents.size === 0);
  if (!emptied.every((draft) => takeOver(drafting, draft))) return undefined;
  return drafting.drafts.filter(isTooLight).length > lightBefore ? undefined : packing;
}

/** Whether each of its pods could have been on a node of a heavier pool, limits aside. */
const isTooLight = ({ template, contents }: Draft): boolean =>
  [...contents.keys()].every(({ options }) =>
    options.some((option) => option.template.pool.weight > template.pool.weight),
  );

/** Constructions count down on copies. */
const isCopyOf = (copy: Unit, unit: Unit): boolean =>
  copy.cls === unit.cls && copy.way === unit.way && copy.place === unit.place;

/** Turns up to `most` pods of a unit into spare room. @returns how many */
function clear(
  drafts: readonly Draft[],
  isSame: (unit: Unit) => boolean,
  most: number,
  keep: number,
): number {
  let cleared = 0;
  for (const draft of drafts) {
    for (const [unit, count] of draft.contents) {
      if (!isSame(unit)) continue;
      const others = draft.contents.size > 1 ? 0 : keep;
      const pods = Math.min(most - cleared, count - others);
      if (pods <= 0) continue;
      moveOff(draft, unit, pods);
      addTimes(draft.spare, unit.request, pods);
      cleared += pods;
    }
  }
  return cleared;
}

function moveOff(draft: Draft, unit: Unit, pods: number): void {
  const left = (draft.contents.get(unit) ?? 0) - pods;
  if (left > 0) draft.contents.set(unit, left);
  else draft.contents.delete(unit);
  addTimes(draft.used, unit.request, -pods);
}

/** Moves a pod onto the empty draft from one that has others. */
function takeOver(drafting: Drafting, draft: Draft): boolean {
  for (const donor of drafting.drafts) {
    for (const [unit, count] of donor.contents) {
      if (donor.contents.size === 1 && count === 1) continue;
      const bare = { ...draft, counts: new Map(), owners: new Map(), hostPorts: [] };
      const one = { ...unit, count: 1 };
      const joined = joining(drafting, bare, one, 1);
      if (!joined) continue;
      moveOff(donor, unit, 1);
      commit(drafting, draft, one, 1, joined);
      return true;
    }
  }
  return false;
}
