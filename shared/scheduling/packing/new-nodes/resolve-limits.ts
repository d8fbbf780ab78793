import { addBit, type Bitset, bitsetOf } from '../../data-structures/bitset.ts';
import { addTimes, at } from '../../data-structures/resource-vectors.ts';
import { type Allowance, capacityAtMost, withinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { SPOT_OFFERINGS, spotOfferings, typesByPrice } from '../../instance-types/offered-types.ts';
import type { Draft, Drafting } from './packing-state.ts';

/** How many spot offerings each draft is given in turn, before the first ones get all that is left. */
const ROUNDS = [SPOT_OFFERINGS / 3, (2 * SPOT_OFFERINGS) / 3, SPOT_OFFERINGS];

interface Limited {
  readonly draft: Draft;
  readonly allowance: Allowance;
  readonly before: Pick<Draft, 'types' | 'charged'>;
}

/**
 * Drops types with which the drafts of a limited pool could together exceed its limits, whichever
 * of them is launched. What is left to spare goes to the first drafts, but for what the others need
 * to have a choice of spot offerings.
 */
export function settleLimits({ problem, newNodes, allowances }: Drafting): void {
  const limited = newNodes.flatMap((draft): Limited[] => {
    const { template, types, charged } = draft;
    const allowance = allowances.get(template.pool.name);
    return allowance ? [{ draft, allowance, before: { types, charged } }] : [];
  });
  const left = new Map([...allowances.values()].map((one) => [one, one.left.slice()]));
  for (const one of limited) takeAll(one, problem);
  if (!limited.some((one) => isShort(one, problem))) return;

  for (const [allowance, amounts] of left) allowance.left.set(amounts);
  for (const { draft, before } of limited) Object.assign(draft, before);
  for (const most of ROUNDS) for (const one of limited) takeSome(one, most, problem);
  for (const one of limited) takeAll(one, problem);
}

/** Whether a draft lost spot offerings of which it has too few now. */
function isShort({ draft, before }: Limited, problem: Problem): boolean {
  const now = spotOfferings(draft, problem);
  const then = spotOfferings({ where: draft.where, types: before.types }, problem);
  return now < SPOT_OFFERINGS && now < then;
}

function takeAll({ draft, allowance }: Limited, problem: Problem): void {
  draft.types = withinAllowance(draft.types, allowance, draft.charged, problem);
  charge(draft, allowance, draft.types, problem);
}

/** Charges the cheapest types that come to `most` spot offerings, as far as the limits go. */
function takeSome({ draft, allowance }: Limited, most: number, problem: Problem): void {
  const within = withinAllowance(draft.types, allowance, draft.charged, problem);
  const some = bitsetOf([], problem.typeIndex.types.length);
  for (const type of typesByPrice({ types: within, where: draft.where }, problem)) {
    if (spotOfferings({ types: some, where: draft.where }, problem) >= most) break;
    addBit(some, type);
  }
  charge(draft, allowance, some, problem);
}

/** Charges the most that the draft may take of each resource, what it is charged now included. */
function charge(draft: Draft, { left }: Allowance, types: Bitset, problem: Problem): void {
  const most = capacityAtMost(types, problem);
  const largest = draft.charged.map((amount, column) => Math.max(amount, at(most, column)));
  addTimes(left, draft.charged, 1);
  addTimes(left, largest, -1);
  draft.charged = largest;
}
