import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { putOn } from '../../packing/new-nodes/joining.ts';
import {
  cheapestType,
  type Draft,
  type Drafting,
  discardDraft,
} from '../../packing/new-nodes/packing-state.ts';
import { settleLimits } from '../../packing/new-nodes/resolve-limits.ts';
import { copyOfDrafting, repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { EvaluatedPacking } from '../evaluation/evaluate-packing.ts';
import { findTypesFor } from './resize-nodes.ts';

/**
 * Shares of a new node's spare room that are tried. Less room is often enough once other nodes have
 * grown.
 */
const KEPT_SPARE_SHARES = [0, 0.5];

/** Lists packings that cost less than the evaluated one and may still bind completely. */
export function* listReductions(
  { packing }: EvaluatedPacking,
  problem: Problem,
): Generator<Packing> {
  const { drafts } = packing.drafting;
  const usdOf = (draft: Draft): number => cheapestType(draft, problem).hourlyUsd;
  const mostExpensiveFirst = [...drafts.keys()].toSorted(
    (a, b) => usdOf(drafts[b] as Draft) - usdOf(drafts[a] as Draft),
  );
  for (const number of mostExpensiveFirst) {
    for (const share of KEPT_SPARE_SHARES) {
      const smaller = withSmallerType(packing.drafting, number, share, problem);
      if (smaller) yield repriced(packing, smaller);
    }
  }
  for (const number of mostExpensiveFirst.toReversed()) {
    const fewer = withoutNode(packing.drafting, number);
    if (fewer) yield repriced(packing, fewer);
  }
}

function withSmallerType(
  drafting: Drafting,
  number: number,
  share: number,
  problem: Problem,
): Drafting | undefined {
  const draft = drafting.drafts[number];
  // The limits were computed for the node's current types.
  if (!draft || drafting.allowances.has(draft.template.pool.name)) return undefined;
  const spare = draft.spare.map((amount) => amount * share);
  const types = findTypesFor(draft, spare, problem);
  if (findUnmetMinValues(draft.template, types, problem, draft.minValues)) return undefined;
  const usd = cheapestType({ types, where: draft.where }, problem).hourlyUsd;
  if (usd >= cheapestType(draft, problem).hourlyUsd) return undefined;
  const drafts = drafting.drafts.with(number, { ...draft, types, spare });
  return { ...drafting, drafts };
}

/** Moves the pods of a new node to the other new nodes; undefined if these cannot take all. */
function withoutNode(from: Drafting, number: number): Drafting | undefined {
  const drafting = copyOfDrafting(from);
  const removed = drafting.drafts[number];
  if (!removed) return undefined;
  discardDraft(drafting, removed);
  for (const [unit, pods] of removed.contents) {
    const moving = { ...unit, count: pods };
    for (const draft of drafting.drafts) {
      if (moving.count === 0) break;
      putOn(drafting, draft, moving);
    }
    if (moving.count > 0) return undefined;
  }
  settleLimits(drafting);
  return drafting;
}
