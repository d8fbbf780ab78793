import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { addTimes } from '../../data-structures/resource-vectors.ts';
import { costOf, type Packing } from '../packing.ts';
import type { Draft, Drafting } from './packing-state.ts';

/** Constructions count down on copies. */
export const isCopyOf = (copy: PodGroup, unit: PodGroup): boolean =>
  copy.cls === unit.cls && copy.relaxationIndex === unit.relaxationIndex && copy.domainKey === unit.domainKey;

/** Whether others may have to be on the same node as its pods: then none of them is moved alone. */
export const isHeldTogether = ({ topology: { owned, countedBy } }: PodGroup): boolean =>
  [...owned.map(({ group }) => group), ...countedBy].some(
    ({ kind, key }) => kind === 'affinity' && key === HOSTNAME_LABEL,
  );

/** Turns up to `most` pods of a unit into spare room; no draft is emptied. @returns how many */
export function clear(drafts: readonly Draft[], wanted: PodGroup, most: number): number {
  let cleared = 0;
  if (isHeldTogether(wanted)) return cleared;
  for (const draft of drafts) {
    for (const [unit, count] of draft.contents) {
      if (!isCopyOf(unit, wanted)) continue;
      const others = draft.contents.size > 1 ? 0 : 1;
      const pods = Math.min(most - cleared, count - others);
      if (pods <= 0) continue;
      takeOff(draft, unit, pods);
      addTimes(draft.spare, unit.request, pods);
      cleared += pods;
    }
  }
  return cleared;
}

/** Rules on the host go on counting them: nothing is allowed there that was not before. */
export function takeOff(draft: Draft, unit: PodGroup, pods: number): void {
  const left = (draft.contents.get(unit) ?? 0) - pods;
  if (left > 0) draft.contents.set(unit, left);
  else draft.contents.delete(unit);
  addTimes(draft.used, unit.request, -pods);
}

/** The same drafts again, to be changed without changing these. */
export const copyOfDrafting = ({ problem, newNodes, allowances, settled }: Drafting): Drafting => ({
  problem,
  newNodes: newNodes.map(copyOfDraft),
  allowances: new Map(
    [...allowances].map(([pool, { left, nodes }]) => [pool, { left: left.slice(), nodes }]),
  ),
  settled: new Set(settled),
});

const copyOfDraft = (draft: Draft): Draft => ({
  ...draft,
  used: draft.used.slice(),
  spare: draft.spare.slice(),
  contents: new Map(draft.contents),
  hostPorts: [...draft.hostPorts],
  counts: new Map(draft.counts),
  owners: new Map(draft.owners),
  charged: draft.charged.slice(),
});

/** The packing with drafts that were changed. */
export const repriced = (packing: Packing, drafting: Drafting): Packing => ({
  ...packing,
  drafting,
  ...costOf(drafting),
});

/** Whether each of its pods could have been on a node of a heavier pool, limits aside. */
export const isTooLight = ({ template, contents }: Draft): boolean =>
  [...contents.keys()].every(({ options }) =>
    options.some((option) => option.template.pool.weight > template.pool.weight),
  );
