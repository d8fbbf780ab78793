import { getOrCreate } from '../../../model/memo.ts';
import { computeFairPrice } from '../../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { ranking } from '../../data-structures/lazy-ranking.ts';
import type { Problem } from '../../input/problem.ts';
import { placePods } from '../new-nodes/joining.ts';
import { type PackingState, discardNewNode, openNewNode } from '../new-nodes/packing-state.ts';
import { packByWeight } from './by-weight.ts';
import { type Demand, demandOf, fillOffer, type NodeOffer, nodeOffers } from './node-offers.ts';

/**
 * Opens, again and again, the node that gives most for its price: each type is filled with the
 * pods that are left, and what they would cost on their own best types is compared with what the
 * node costs. Pods of different shape that fill a node together are found this way.
 */
export function packByPrice(
  drafting: PackingState,
  units: readonly PodGroup[],
  perNodeUsd = drafting.problem.perNodeUsd,
): void {
  const problem = { ...drafting.problem, perNodeUsd };
  const fairUsd = rememberedPrices(problem);
  packByWeight(drafting, units, (choices) => {
    const demands = choices.flatMap(({ unit, options }) => {
      const best = Math.min(...options.map((option) => fairUsd(unit, option)));
      return options.map((option) => demandOf(unit, option, best));
    });
    return packDemands(drafting, demands, problem);
  });
}

/** Prices are the same in every round, so each is worked out once. */
function rememberedPrices(problem: Problem) {
  const known = new Map<PoolOption, number>();
  return (unit: PodGroup, option: PoolOption): number => {
    return getOrCreate(known, option, () => computeFairPrice(unit, option, problem));
  };
}

/** @returns the demands of a node that could not be opened; none once every pod has its node */
function packDemands(
  drafting: PackingState,
  demands: readonly Demand[],
  problem: Problem,
): readonly Demand[] {
  const room = new Float64Array(problem.columns.names.length);
  const offers = ranking(nodeOffers(demands, problem), (offer) => fillOffer(offer, problem, room));
  for (;;) {
    const offer = offers.best();
    if (!offer) return [];
    const fill = new Map<Demand, number>();
    fillOffer(offer, problem, room, (demand, pods) => fill.set(demand, pods));
    if (open(drafting, offer, fill) === 0) return [...fill.keys()];
  }
}

/** Opens as many equal nodes as the pods allow. @returns how many pods they hold */
function open(drafting: PackingState, offer: NodeOffer, fill: ReadonlyMap<Demand, number>): number {
  const entries = [...fill];
  const repeat = Math.min(...entries.map(([{ unit }, pods]) => Math.floor(unit.count / pods)));
  let placed = 0;
  for (let node = 0; node < repeat; node++) {
    const onNode = openOne(drafting, offer, entries);
    if (onNode === 0) break;
    placed += onNode;
  }
  return placed;
}

function openOne(
  drafting: PackingState,
  { template }: NodeOffer,
  entries: readonly (readonly [Demand, number])[],
): number {
  const option = entries.find(([demand]) => demand.option.template === template)?.[0].option;
  const draft = option && openNewNode(drafting, option);
  if (!draft) return 0;
  let placed = 0;
  for (const [{ unit }, pods] of entries) placed += placePods(drafting, draft, unit, pods);
  if (placed === 0) discardNewNode(drafting, draft);
  return placed;
}
