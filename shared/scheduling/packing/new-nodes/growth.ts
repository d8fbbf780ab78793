import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes, toVector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { cheapestType, type Draft } from './packing-state.ts';

/** Room for one more pod of a class on a draft, and what a larger type for it costs. */
interface Growth {
  readonly draft: Draft;
  readonly types: Draft['types'];
  readonly spare: Draft['spare'];
  /** More than the draft costs now, in USD per hour. */
  readonly usd: number;
}

/**
 * Makes room for displaced pods on drafts that suit them: again and again on the one where it costs
 * least. Types only ever get fewer, so limits and rules hold as before.
 *
 * @returns whether any room was made
 */
export function grow(
  cls: PodClass,
  pods: number,
  drafts: readonly Draft[],
  problem: Problem,
): boolean {
  const ways = new Map<Draft, Growth>();
  const look = (draft: Draft): void => {
    const way = growthOf(draft, cls, problem);
    if (way) ways.set(draft, way);
    else ways.delete(draft);
  };
  for (const draft of drafts) look(draft);
  let left = pods;
  while (left > 0) {
    const best = cheapestOf(ways.values());
    if (!best) break;
    Object.assign(best.draft, { types: best.types, spare: best.spare });
    look(best.draft);
    left -= 1;
  }
  return left < pods;
}

function cheapestOf(ways: Iterable<Growth>): Growth | undefined {
  let best: Growth | undefined;
  for (const way of ways) if (!best || way.usd < best.usd) best = way;
  return best;
}

function growthOf(draft: Draft, { spec }: PodClass, problem: Problem): Growth | undefined {
  const { template, where } = draft;
  const spare = draft.spare.slice();
  addTimes(spare, toVector(problem.columns, spec.requests), 1);
  const total = draft.used.slice();
  addTimes(total, spare, 1);
  const types = intersection(draft.types, findTypesHolding(template.daemons, total, problem));
  if (isEmptyBitset(types) || findUnmetMinValues(template, types, problem)) return undefined;
  const grown = cheapestType({ types, where }, problem).hourlyUsd;
  if (grown === Infinity) return undefined;
  return { draft, types, spare, usd: grown - cheapestType(draft, problem).hourlyUsd };
}
