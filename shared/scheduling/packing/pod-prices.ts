import type { Problem } from '../problem.ts';
import { addTimes, at, type Vector } from '../vectors.ts';
import type { Choice } from './by-weight.ts';
import { type CrowdOf, crowdsOf } from './crowds.ts';
import { fairPrice } from './fair-price.ts';
import { type Demand, type ResourcePrices, resourcePrices, worthOf } from './resource-prices.ts';
import type { Shape, Shapes } from './shapes.ts';
import { stallsOf } from './stalls.ts';

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

/** Makes prices for what is left of the shapes, as often as they are asked for. */
export function podPricing(
  choices: readonly Choice[],
  crowds: readonly CrowdOf<Choice>[],
  { shapes, slots }: Shapes,
  problem: Problem,
): () => PodPrices {
  const rough = crowdsOf(choices, ({ options }) => options, problem, MOST_CROWDS);
  const stalls = stallsOf(rough, problem, problem.perNodeUsd);
  const roughOf = new Map(
    rough.flatMap(({ members }, crowd) => members.map((one) => [one, crowd])),
  );
  const roughly = crowds.map(({ members: [first] }) => (first && roughOf.get(first)) ?? 0);
  const priced = Float64Array.from(slots.slice(0, MOST_SLOTS));
  const width = problem.columns.names.length;
  const alone = new Map(shapes.map((shape) => [shape, priceAlone(shape, problem)]));

  function demand(): Demand {
    const totals = rough.map(() => new Float64Array(width + priced.length));
    for (const { crowd, request, slot, count } of shapes) {
      const total = totals[roughly[crowd] ?? 0];
      if (!total) continue;
      addTimes(total, request, count);
      if (slot >= 0 && slot < priced.length) total[width + slot] = at(total, width + slot) + count;
    }
    return { totals, slots: priced };
  }

  return () => {
    const roughPrices = resourcePrices(demand(), stalls, []);
    const ofResources = roughly.map((crowd) => roughPrices[crowd] ?? new Float64Array());
    return {
      ofResources,
      slots: priced,
      ofPod(shape) {
        const price = ofResources[shape.crowd] ?? new Float64Array();
        const slotUsd = shape.slot < 0 ? 0 : at(price, width + shape.slot);
        return Math.max(worthOf(price, shape.request) + slotUsd, alone.get(shape) ?? 0);
      },
    };
  };
}

/** A pod that takes a node's place for its like is worth that node: whole nodes tell, not parts. */
function priceAlone({ members: [first], slot }: Shape, problem: Problem): number {
  if (!first || slot < 0) return 0;
  return Math.min(...first.options.map((option) => fairPrice(first.unit, option, problem)));
}
