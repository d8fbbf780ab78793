import type { Problem } from '../../input/problem.ts';
import { unmetMinValues } from '../../instance-types/min-values.ts';
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
import type { Trial } from '../evaluation/evaluate-packing.ts';
import { typesFor } from './resize-nodes.ts';

/** What of a draft's spare room may stay: less was often enough, once other nodes had grown too. */
const KEPT_ROOM = [0, 0.5];

/** Packings that cost less than the one that was tried, and may hold as well. */
export function* trimmings({ packing }: Trial, problem: Problem): Generator<Packing> {
  const { drafts } = packing.drafting;
  const usdOf = (draft: Draft): number => cheapestType(draft, problem).hourlyUsd;
  const dearestFirst = [...drafts.keys()].toSorted(
    (a, b) => usdOf(drafts[b] as Draft) - usdOf(drafts[a] as Draft),
  );
  for (const number of dearestFirst) {
    for (const share of KEPT_ROOM) {
      const smaller = withSmallerType(packing.drafting, number, share, problem);
      if (smaller) yield repriced(packing, smaller);
    }
  }
  for (const number of dearestFirst.toReversed()) {
    const fewer = withoutDraft(packing.drafting, number);
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
  // Limits were settled for the types that it has.
  if (!draft || drafting.allowances.has(draft.template.pool.name)) return undefined;
  const spare = draft.spare.map((amount) => amount * share);
  const types = typesFor(draft, spare, problem);
  if (unmetMinValues(draft.template, types, problem, draft.minValues)) return undefined;
  const usd = cheapestType({ types, where: draft.where }, problem).hourlyUsd;
  if (usd >= cheapestType(draft, problem).hourlyUsd) return undefined;
  const drafts = drafting.drafts.with(number, { ...draft, types, spare });
  return { ...drafting, drafts };
}

/** Its pods on the other drafts, as they are; undefined where they do not take all. */
function withoutDraft(from: Drafting, number: number): Drafting | undefined {
  const drafting = copyOfDrafting(from);
  const gone = drafting.drafts[number];
  if (!gone) return undefined;
  discardDraft(drafting, gone);
  for (const [unit, pods] of gone.contents) {
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
