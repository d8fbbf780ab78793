import { computeFairPrice } from '../../assignment/fair-price.ts';
import { isSmallBatch } from '../../assignment/pod-groups.ts';
import { addTimes, at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { Choice } from '../constructions/by-weight.ts';
import type { Shape, Shapes } from '../constructions/pod-shapes.ts';
import { type CrowdOf, crowdsOf } from './eligibility-groups.ts';
import { type Crowd, type Stall, stallsOf } from './offer-groups.ts';
import { type ResourcePrices, resourcePrices, worthOf } from './shadow-prices.ts';

/** What pods are worth to whoever opens a node for them. */
export interface PodPrices {
  /** By crowd; columns of the resources, then of the slots that bear on prices. */
  readonly ofResources: ResourcePrices;
  /** How many of those slots a node has. */
  readonly slots: Vector;
  /** Of one pod, in USD per hour. */
  ofPod(shape: Shape): number;
}

/** Prices are worked out for these many crowds at most: the others share those of the likes of them. */
const MOST_CROWDS = 12;

/** Each slot is a row of the linear programme for every crowd: those of few pods add little. */
const MOST_SLOTS = 6;

/**
 * Makes prices for what is left of the shapes, as often as they are asked for.
 *
 * @param fine - the stalls of these crowds
 */
export function podPricing(
  choices: readonly Choice[],
  crowds: readonly CrowdOf<Choice>[],
  fine: readonly Stall[],
  { shapes, slots }: Shapes,
  problem: Problem,
): () => PodPrices {
  const rough = roughCrowds(choices, crowds, fine, problem);
  const priced = Float64Array.from(slots.slice(0, MOST_SLOTS));
  const width = problem.columns.names.length;
  const alone = new Map(shapes.map((shape) => [shape, priceAlone(shape, problem)]));
  const pods = shapes.reduce((sum, { count }) => sum + count, 0);
  const urgency = isSmallBatch(pods) ? [] : urgencyOf(crowds);
  return () => {
    const totals = totalsOf(shapes, rough, width, priced.length);
    const roughPrices = resourcePrices({ totals, slots: priced }, rough.stalls, []);
    const ofResources = rough.of.map((crowd) => roughPrices[crowd] ?? new Float64Array());
    return {
      ofResources,
      slots: priced,
      ofPod(shape) {
        const price = ofResources[shape.crowd] ?? new Float64Array();
        const slotUsd = shape.slot < 0 ? 0 : at(price, width + shape.slot);
        const usd = Math.max(worthOf(price, shape.request) + slotUsd, alone.get(shape) ?? 0);
        return usd * (urgency[shape.crowd] ?? 1);
      },
    };
  };
}

/** Few enough crowds to work out prices for, and their stalls. */
interface RoughCrowds {
  readonly count: number;
  /** Which of these each finer crowd is part of. */
  readonly of: readonly number[];
  readonly stalls: readonly Stall[];
}

function roughCrowds(
  choices: readonly Choice[],
  crowds: readonly CrowdOf<Choice>[],
  fine: readonly Stall[],
  problem: Problem,
): RoughCrowds {
  if (crowds.length <= MOST_CROWDS) {
    return { count: crowds.length, of: [...crowds.keys()], stalls: fine };
  }
  const rough = crowdsOf(choices, ({ options }) => options, problem, MOST_CROWDS);
  const roughOf = new Map(
    rough.flatMap(({ members }, crowd) => members.map((one) => [one, crowd])),
  );
  return {
    count: rough.length,
    of: crowds.map(({ members: [first] }) => (first && roughOf.get(first)) ?? 0),
    stalls: stallsOf(rough, problem, problem.perNodeUsd),
  };
}

/** What is left of each rough crowd's pods, in resources and in slots. */
function totalsOf(
  shapes: readonly Shape[],
  rough: RoughCrowds,
  width: number,
  slots: number,
): readonly Vector[] {
  const totals = Array.from({ length: rough.count }, () => new Float64Array(width + slots));
  for (const { crowd, request, slot, count } of shapes) {
    const total = totals[rough.of[crowd] ?? 0];
    if (!total) continue;
    addTimes(total, request, count);
    if (slot >= 0 && slot < slots) total[width + slot] = at(total, width + slot) + count;
  }
  return totals;
}

/**
 * By crowd, how much more its pods are worth for having fewer places to go. Those who could go
 * anywhere are to fill what these leave: spent first, they would leave these among their own.
 */
function urgencyOf(crowds: readonly Crowd[]): number[] {
  const places = crowds.map(countPlaces);
  const most = Math.max(...places);
  return places.map((count) => 1 + MOST_URGENCY * (1 - count / most));
}

/** Found by trial: from 0.4 to 0.7 mixed batches become 2 to 5 % cheaper than without. */
const MOST_URGENCY = 0.55;

/** In how many zones and ways of buying the crowd may have nodes, pool by pool. */
const countPlaces = ({ accesses }: Crowd): number =>
  accesses.reduce(
    (sum, { where }) => sum + countBits(where.zones) * countBits(where.capacityTypes),
    0,
  );

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** A pod that takes a node's place for its like is worth that node: whole nodes tell, not parts. */
function priceAlone({ members: [first], slot }: Shape, problem: Problem): number {
  if (!first || slot < 0) return 0;
  return Math.min(...first.options.map((option) => computeFairPrice(first.unit, option, problem)));
}
