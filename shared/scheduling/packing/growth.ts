import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import { intersection, isEmptyBitset } from '../types/bitset.ts';
import { unmetMinValues } from '../types/min-values.ts';
import { addTimes, toVector } from '../vectors.ts';
import { cheapestType, type Draft } from './drafts.ts';
import { typesHolding } from './units.ts';

/** Room for more pods of a class on one draft, and what a larger type for it costs. */
interface Growth {
  readonly draft: Draft;
  readonly pods: number;
  readonly types: Draft['types'];
  readonly spare: Draft['spare'];
  /** In USD per hour and pod. */
  readonly usdPerPod: number;
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
  let left = pods;
  while (left > 0) {
    const ways = drafts.flatMap((draft) =>
      [...new Set([1, left])].flatMap((some) => growthOf(draft, cls, some, problem) ?? []),
    );
    const [first, ...others] = ways;
    if (!first) break;
    const best = others.reduce((a, b) => (b.usdPerPod < a.usdPerPod ? b : a), first);
    best.draft.types = best.types;
    best.draft.spare = best.spare;
    left -= best.pods;
  }
  return left < pods;
}

function growthOf(
  draft: Draft,
  { spec }: PodClass,
  pods: number,
  problem: Problem,
): Growth | undefined {
  const { template, where } = draft;
  const spare = draft.spare.slice();
  addTimes(spare, toVector(problem.columns, spec.requests), pods);
  const total = draft.used.slice();
  addTimes(total, spare, 1);
  const types = intersection(draft.types, typesHolding(template.daemons, total, problem));
  if (isEmptyBitset(types) || unmetMinValues(template, types, problem)) return undefined;
  const grown = cheapestType({ types, where }, problem).hourlyUsd;
  if (grown === Infinity) return undefined;
  const usdPerPod = (grown - cheapestType(draft, problem).hourlyUsd) / pods;
  return { draft, pods, types, spare, usdPerPod };
}
