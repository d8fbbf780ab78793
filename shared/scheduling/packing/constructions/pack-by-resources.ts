import type { PodGroup } from '../../assignment/pod-groups.ts';
import { createLazyRanking } from '../../data-structures/lazy-ranking.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { placePods } from '../new-nodes/joining.ts';
import { type NewNode } from '../new-nodes/new-node.ts';
import { discardNewNode, openNewNode, type PackingState } from '../new-nodes/packing-state.ts';
import { groupByEligibility } from '../pricing/eligibility-groups.ts';
import { listOfferGroups, type OfferGroup, type PricedNodeType } from '../pricing/offer-groups.ts';
import { createPodPricing, type PodPrices } from '../pricing/pod-prices.ts';
import { computeSlotValue, computeValue, findHighestPrices } from '../pricing/shadow-prices.ts';
import { type HeaviestOptions, packByWeight, type RefusedOption } from './by-weight.ts';
import {
  createPricedPods,
  type EmptyNode,
  fillNode,
  type PricedPods,
  type PricedShape,
} from './node-fill.ts';
import {
  groupByShape,
  haveHostRules,
  type PodShape,
  type PodShapes,
  recountPods,
} from './pod-shapes.ts';

/**
 * Rounds the linear programme of the cheapest nodes to whole ones.
 *
 * Its dual prices tell what a core and a GiB are worth to each crowd when all is bought at the least
 * cost, and nodes that are worth their price at these are the ones to buy. Each is filled so that no
 * resource is left over (`fillNode`); the one whose pods are worth most for its price is opened, as
 * often as there are pods for it. When half of the worth is packed what is left has another mix, and
 * is priced anew: so the last nodes are as small as what is left for them.
 *
 * Large batches come within a percent or two of the bound this way; small ones are all remainder,
 * and other ways suit them as well.
 *
 * @see Gilmore, Gomory (1961), and the residual problems of Wäscher, Gau (1996)
 */
export function packByResources(
  state: PackingState,
  podGroups: readonly PodGroup[],
  perNodeUsd = state.problem.perNodeUsd,
): void {
  const problem = { ...state.problem, perNodeUsd };
  packByWeight(state, podGroups, (candidates) => packCandidates(state, candidates, problem));
}

/** @returns what could not be opened; none once every pod has its node */
function packCandidates(
  state: PackingState,
  candidates: readonly HeaviestOptions[],
  problem: Problem,
): readonly RefusedOption[] {
  const eligibilityGroups = groupByEligibility(candidates, ({ options }) => options, problem);
  const shapes = groupByShape(eligibilityGroups);
  const offerGroups = listOfferGroups(eligibilityGroups, problem, problem.perNodeUsd);
  const computePrices = createPodPricing(
    candidates,
    eligibilityGroups,
    offerGroups,
    shapes,
    problem,
  );
  while (shapes.shapes.some(({ count }) => count > 0)) {
    const refusals = packHalfOfValue(state, shapes, offerGroups, computePrices());
    if (refusals.length > 0) return refusals;
  }
  return [];
}

/** Opens nodes until half of what the pods are worth is packed. */
function packHalfOfValue(
  state: PackingState,
  { shapes, slots }: PodShapes,
  offerGroups: readonly OfferGroup[],
  prices: PodPrices,
): readonly RefusedOption[] {
  const priced = shapes
    .filter(({ count }) => count > 0)
    .map((shape): PricedShape => ({ shape, usd: prices.ofPod(shape) }));
  const start = sumRemainingUsd(priced);
  const offers = createLazyRanking(
    offerGroups.flatMap((offerGroup) =>
      listBestOffers(offerGroup, priced, prices, slots, offerGroups.length),
    ),
    ({ node, pricedPods }) => fillNode(node, pricedPods) / node.usd,
  );
  let remaining = start;
  while (remaining > start / 2) {
    const offer = offers.best();
    if (!offer) return remaining < start ? [] : refuseAll(shapes);
    const podsPerShape = new Map<PodShape, number>();
    fillNode(offer.node, offer.pricedPods, (shape, pods) => {
      podsPerShape.set(shape, (podsPerShape.get(shape) ?? 0) + pods);
    });
    const refusals = openNodes(state, offer.offerGroup.template, podsPerShape);
    if (refusals.length > 0) return refusals;
    remaining = sumRemainingUsd(priced);
  }
  return [];
}

const sumRemainingUsd = (priced: readonly PricedShape[]): number =>
  priced.reduce((sum, { shape, usd }) => sum + shape.count * usd, 0);

const refuseAll = (shapes: readonly PodShape[]): RefusedOption[] =>
  shapes.flatMap(({ members }) =>
    members.flatMap(({ podGroup, options }) =>
      podGroup.count > 0 ? options.map((option) => ({ podGroup, option })) : [],
    ),
  );

/** A node that could be opened, with those who may be on it. */
interface FillableOffer {
  readonly offerGroup: OfferGroup;
  readonly node: EmptyNode;
  readonly pricedPods: PricedPods;
}

/** Nodes are filled on trial only so many at a time, over all stalls and of each at least. */
const MAX_TRIED_OFFERS = 32;
const MIN_TRIED_OFFERS = 6;

/** What is left goes on a node that is half empty then, but not on one that is larger yet. */
const MAX_OVERSIZE_FACTOR = 1.5;

/** The nodes of a stall that give most for their price, were they filled to the last byte. */
function listBestOffers(
  offerGroup: OfferGroup,
  priced: readonly PricedShape[],
  { ofResources, slots: pricedSlots }: PodPrices,
  slots: readonly number[],
  offerGroups: number,
): FillableOffer[] {
  const eligiblePods = priced.filter(({ shape }) =>
    offerGroup.eligibilityGroups.includes(shape.eligibilityGroup),
  );
  if (eligiblePods.length === 0) return [];
  const pricedPods = createPricedPods(eligiblePods);
  const { usd: usdPerUnit } = findHighestPrices(offerGroup.eligibilityGroups, ofResources);
  const slotsUsd = computeSlotValue(usdPerUnit, pricedSlots);
  const mostUsd = sumRemainingUsd(eligiblePods) * MAX_OVERSIZE_FACTOR;
  const small = offerGroup.offers.filter(({ usd }) => usd <= mostUsd);
  return (small.length > 0 ? small : offerGroup.offers)
    .map((offer) => ({
      offer,
      percent: toPercent(computeValue(usdPerUnit, offer.room) + slotsUsd, offer),
    }))
    .toSorted((a, b) => b.percent - a.percent)
    .slice(0, Math.max(MIN_TRIED_OFFERS, MAX_TRIED_OFFERS / offerGroups))
    .map(({ offer }) => ({ offerGroup, node: { ...offer, usdPerUnit, slots }, pricedPods }));
}

/** Whole percents: among nodes that are as good the smaller, which come first, are easier to fill. */
const toPercent = (worthUsd: number, { usd }: PricedNodeType): number =>
  Math.round((100 * worthUsd) / usd);

/** Pods that are to share a node. */
type PodsPerShape = ReadonlyMap<PodShape, number>;

/**
 * Opens as many nodes with these contents as there are pods for.
 *
 * @returns who could not be put on the first of them, if nobody could
 */
function openNodes(
  state: PackingState,
  template: NodeClaimTemplate,
  podsPerShape: PodsPerShape,
): readonly RefusedOption[] {
  // They come first: rules on the host count those who are there already.
  const entries = [...podsPerShape].toSorted(
    ([a], [b]) => Number(haveHostRules(b)) - Number(haveHostRules(a)),
  );
  const nodes = Math.min(...entries.map(([{ count }, pods]) => Math.floor(count / pods)));
  let opened = 0;
  while (opened < nodes && openNode(state, template, entries)) opened += 1;
  for (const [shape] of entries) recountPods(shape);
  return opened > 0 ? [] : entries.flatMap(([shape]) => listRefusals(shape, template));
}

function listRefusals({ members }: PodShape, template: NodeClaimTemplate): RefusedOption[] {
  return members.flatMap(({ podGroup, options }) => {
    const option = options.find((one) => one.template === template);
    return option && podGroup.count > 0 ? [{ podGroup, option }] : [];
  });
}

/** @returns whether any pod came onto it */
function openNode(
  state: PackingState,
  template: NodeClaimTemplate,
  entries: readonly (readonly [PodShape, number])[],
): boolean {
  const first = entries
    .flatMap(([{ members }]) => members)
    .find(({ podGroup }) => podGroup.count > 0);
  const option = first?.options.find((one) => one.template === template);
  const newNode = option && openNewNode(state, option);
  if (!newNode) return false;
  for (const [{ members }, pods] of entries) placeInOrder(state, newNode, members, pods);
  if (newNode.podCounts.size === 0) discardNewNode(state, newNode);
  return newNode.podCounts.size > 0;
}

/** Pods of one shape are taken from its units in their order. */
function placeInOrder(
  state: PackingState,
  newNode: NewNode,
  members: readonly HeaviestOptions[],
  maxPods: number,
): void {
  let remaining = maxPods;
  for (const { podGroup } of members) {
    if (remaining === 0) return;
    if (podGroup.count > 0)
      remaining -= placePods(state, newNode, podGroup, Math.min(remaining, podGroup.count));
  }
}
