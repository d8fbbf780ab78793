import type { Problem } from '../problem.ts';
import {
  commit,
  type Drafting,
  discardDraft,
  joining,
  openDraft,
  roomWithMinValues,
} from './drafts.ts';
import { fairPrice } from './fair-price.ts';
import { openWith } from './first-fit.ts';
import { type Demand, demandOf, fillOffer, type NodeOffer, nodeOffers } from './node-offers.ts';
import { ranking } from './ranking.ts';
import type { Option, Unit } from './units.ts';

/**
 * Opens, again and again, the node that gives most for its price: each type is filled with the
 * pods that are left, and what they would cost on their own best types is compared with what the
 * node costs. Pods of different shape that fill a node together are found this way.
 */
export function packByPrice(
  drafting: Drafting,
  units: readonly Unit[],
  perNodeUsd = drafting.problem.perNodeUsd,
): void {
  const problem = { ...drafting.problem, perNodeUsd };
  const givenUp = new Set<Option>();
  const fairUsd = rememberedPrices(problem);
  for (;;) {
    const demands = units.flatMap((unit) => demandsOf(unit, givenUp, fairUsd));
    if (demands.length === 0) return;
    const refused = packDemands(drafting, demands, problem);
    if (refused.length === 0) return;
    // The pool's limits are in the way: these pods turn to the next pool they may use.
    for (const { unit, option } of refused) {
      givenUp.add(option);
      exhaust(drafting, unit, option, givenUp);
    }
  }
}

/** What is left of the last pool of a weight goes to pods that would else open one of a lighter pool. */
function exhaust(
  drafting: Drafting,
  unit: Unit,
  option: Option,
  givenUp: ReadonlySet<Option>,
): void {
  const { weight } = option.template.pool;
  const hasEqual = unit.options.some(
    (other) => other.template.pool.weight === weight && !givenUp.has(other),
  );
  while (!hasEqual && unit.count > 0 && openWith(drafting, unit, option));
}

/** A unit's pods at each pool of the heaviest weight that it has not given up. */
function demandsOf(
  unit: Unit,
  givenUp: ReadonlySet<Option>,
  fairUsd: (unit: Unit, option: Option) => number,
): Demand[] {
  const options = unit.count > 0 ? unit.options.filter((option) => !givenUp.has(option)) : [];
  const weight = options[0]?.template.pool.weight;
  const heaviest = options.filter(({ template }) => template.pool.weight === weight);
  const best = Math.min(...heaviest.map((option) => fairUsd(unit, option)));
  return heaviest.map((option) => demandOf(unit, option, best));
}

/** Prices are the same in every round, so each is worked out once. */
function rememberedPrices(problem: Problem) {
  const known = new Map<Option, number>();
  return (unit: Unit, option: Option): number => {
    const usd = known.get(option) ?? fairPrice(unit, option, problem);
    known.set(option, usd);
    return usd;
  };
}

/** @returns the demands of a node that could not be opened; none once every pod has its node */
function packDemands(
  drafting: Drafting,
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
function open(drafting: Drafting, offer: NodeOffer, fill: ReadonlyMap<Demand, number>): number {
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
  drafting: Drafting,
  { template }: NodeOffer,
  entries: readonly (readonly [Demand, number])[],
): number {
  const option = entries.find(([demand]) => demand.option.template === template)?.[0].option;
  const draft = option && openDraft(drafting, option);
  if (!draft) return 0;
  let placed = 0;
  for (const [{ unit }, pods] of entries) {
    const joined = joining(drafting, draft, unit, pods);
    if (!joined) continue;
    const room = roomWithMinValues(drafting, draft, unit, joined);
    if (room === 0) continue;
    commit(drafting, draft, unit, room, joined);
    placed += room;
  }
  if (placed === 0) discardDraft(drafting, draft);
  return placed;
}
