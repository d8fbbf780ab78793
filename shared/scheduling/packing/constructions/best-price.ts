import { getOrCreate } from '../../../model/memo.ts';
import { computeFairPrice } from '../../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { createLazyRanking } from '../../data-structures/lazy-ranking.ts';
import type { Problem } from '../../input/problem.ts';
import { discardNewNode, openNewNode, type PackingState } from '../new-nodes/packing-state.ts';
import { placePods } from '../new-nodes/place-pods.ts';
import { packByWeight } from './by-weight.ts';
import { createPricedPodGroup, fillOffer, listNodeOffers, type NodeOffer, type PricedPodGroup } from './node-offers.ts';

/**
 * Repeatedly opens the node with the most value for its price: each type is filled with the
 * remaining pods, and the price of these pods on their own best types is compared with the price of
 * the node. This finds pods of different shape that fill a node together.
 */
export function packByPrice(
  state: PackingState,
  podGroups: readonly PodGroup[],
  nodeCosts = state.problem.nodeCosts,
): void {
  const problem = { ...state.problem, nodeCosts };
  const fairUsd = createPriceMemo(problem);
  packByWeight(state, podGroups, (choices) => {
    const demands = choices.flatMap(({ podGroup, options }) => {
      const best = Math.min(...options.map((option) => fairUsd(podGroup, option)));
      return options.map((option) => createPricedPodGroup(podGroup, option, best));
    });
    return packDemands(state, demands, problem);
  });
}

/** Prices are the same in every round, so each is computed once. */
function createPriceMemo(problem: Problem) {
  const cached = new Map<PoolOption, number>();
  return (podGroup: PodGroup, option: PoolOption): number => {
    return getOrCreate(cached, option, () => computeFairPrice(podGroup, option, problem));
  };
}

/**
 * @returns the pods of a node that could not be opened; empty once every pod has its node
 */
function packDemands(
  state: PackingState,
  demands: readonly PricedPodGroup[],
  problem: Problem,
): readonly PricedPodGroup[] {
  const room = new Float64Array(problem.columns.names.length);
  const offers = createLazyRanking(listNodeOffers(demands, problem), (offer) => fillOffer(offer, problem, room));
  for (;;) {
    const offer = offers.best();
    if (!offer) return [];
    const fill = new Map<PricedPodGroup, number>();
    fillOffer(offer, problem, room, (demand, pods) => fill.set(demand, pods));
    if (openNodes(state, offer, fill) === 0) return [...fill.keys()];
  }
}

/**
 * Opens as many equal nodes as there are pods for.
 *
 * @returns the number of placed pods
 */
function openNodes(state: PackingState, offer: NodeOffer, fill: ReadonlyMap<PricedPodGroup, number>): number {
  const entries = [...fill];
  const repeat = Math.min(...entries.map(([{ podGroup }, pods]) => Math.floor(podGroup.count / pods)));
  let placed = 0;
  for (let node = 0; node < repeat; node++) {
    const onNode = openNode(state, offer, entries);
    if (onNode === 0) break;
    placed += onNode;
  }
  return placed;
}

function openNode(
  state: PackingState,
  { template }: NodeOffer,
  entries: readonly (readonly [PricedPodGroup, number])[],
): number {
  const option = entries.find(([demand]) => demand.option.template === template)?.[0].option;
  const newNode = option && openNewNode(state, option);
  if (!newNode) return 0;
  let placed = 0;
  for (const [{ podGroup }, pods] of entries) placed += placePods(state, newNode, podGroup, pods);
  if (placed === 0) discardNewNode(state, newNode);
  return placed;
}
