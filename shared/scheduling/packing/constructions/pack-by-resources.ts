import type { PodGroup } from '../../assignment/pod-groups.ts';
import { createLazyRanking } from '../../data-structures/lazy-ranking.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { NewNode } from '../new-nodes/new-node.ts';
import { discardNewNode, openNewNode, type PackingState } from '../new-nodes/packing-state.ts';
import { placePods } from '../new-nodes/place-pods.ts';
import { groupByEligibility } from '../pricing/eligibility-groups.ts';
import { listOfferGroups, type OfferGroup, type PricedNodeType } from '../pricing/offer-groups.ts';
import { createPodPricing, type PodPrices } from '../pricing/pod-prices.ts';
import { computeSlotValue, computeValue, findHighestPrices } from '../pricing/shadow-prices.ts';
import { type HeaviestOptions, packByWeight, type RefusedOption } from './by-weight.ts';
import { createPricedPods, type EmptyNode, fillNode, type PricedPods, type PricedShape } from './node-fill.ts';
import { groupByShape, haveHostRules, type PodShape, type PodShapes, recountPods } from './pod-shapes.ts';

/**
 * Rounds the linear programme of the cheapest nodes to whole nodes.
 *
 * The dual of the programme gives shadow prices: what a core and a GiB are worth to each
 * eligibility group if all is bought at the least cost. Nodes that are worth their price at these
 * prices are opened. Each is filled so that no resource is left over (`fillNode`); the node with
 * the most value for its price is opened as often as there are pods for it. Once half of the value
 * is packed, the remaining pods have another mix and are priced again, so that the last nodes are
 * as small as what is left for them.
 *
 * Large batches come within one or two percent of the lower bound. In small batches every node is a
 * remainder, and other constructions are as good.
 *
 * @see Gilmore, Gomory (1961), and the residual problems of Wäscher, Gau (1996)
 */
export function packByResources(
  state: PackingState,
  podGroups: readonly PodGroup[],
  nodeCosts = state.problem.nodeCosts,
): void {
  const problem = { ...state.problem, nodeCosts };
  packByWeight(state, podGroups, (candidates) => packCandidates(state, candidates, problem));
}

/**
 * @returns the options that could not be opened; empty once every pod has its node
 */
function packCandidates(
  state: PackingState,
  candidates: readonly HeaviestOptions[],
  problem: Problem,
): readonly RefusedOption[] {
  const eligibilityGroups = groupByEligibility(candidates, ({ options }) => options, problem);
  const shapes = groupByShape(eligibilityGroups);
  const offerGroups = listOfferGroups(eligibilityGroups, problem, problem.nodeCosts);
  const computePrices = createPodPricing(candidates, eligibilityGroups, offerGroups, shapes, problem);
  while (shapes.shapes.some(({ count }) => count > 0)) {
    const refusals = packHalfOfValue(state, shapes, offerGroups, computePrices());
    if (refusals.length > 0) return refusals;
  }
  return [];
}

/** Opens nodes until half of the pods' value is packed. */
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
  const { work } = state.problem;
  const offers = createLazyRanking(
    offerGroups.flatMap((offerGroup) => listBestOffers(offerGroup, priced, prices, slots, offerGroups.length)),
    ({ node, pricedPods }) => fillNode(node, pricedPods, work) / node.usd,
  );
  let remaining = start;
  while (remaining > start / 2) {
    const offer = offers.best();
    if (!offer) return remaining < start ? [] : refuseAll(shapes);
    const podsPerShape = new Map<PodShape, number>();
    fillNode(offer.node, offer.pricedPods, work, (shape, pods) => {
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

/** A node that could be opened, with the pods that may be on it. */
interface FillableOffer {
  readonly offerGroup: OfferGroup;
  readonly node: EmptyNode;
  readonly pricedPods: PricedPods;
}

/**
 * Number of nodes that are filled for comparison, over all offer groups; at least
 * `MIN_TRIED_OFFERS` of each group.
 */
const MAX_TRIED_OFFERS = 32;
const MIN_TRIED_OFFERS = 6;

/**
 * The remaining pods may leave the last node partly empty, but a node that is larger than this is
 * not considered.
 */
const MAX_OVERSIZE_FACTOR = 1.5;

/**
 * Lists the nodes of an offer group with the most value for their price if they were filled
 * completely.
 */
function listBestOffers(
  offerGroup: OfferGroup,
  priced: readonly PricedShape[],
  { ofResources, slots: pricedSlots }: PodPrices,
  slots: readonly number[],
  offerGroups: number,
): FillableOffer[] {
  const eligiblePods = priced.filter(({ shape }) => offerGroup.eligibilityGroups.includes(shape.eligibilityGroup));
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

/**
 * Whole percents: among nearly equal nodes the smaller ones, which are listed first, are easier to
 * fill.
 */
const toPercent = (valueUsd: number, { usd }: PricedNodeType): number => Math.round((100 * valueUsd) / usd);

/** Pods that share a node, by shape. */
type PodsPerShape = ReadonlyMap<PodShape, number>;

/**
 * Opens as many nodes with these pods as there are pods for.
 *
 * @returns the pods that could not be placed on the first node, if none could
 */
function openNodes(
  state: PackingState,
  template: NodeClaimTemplate,
  podsPerShape: PodsPerShape,
): readonly RefusedOption[] {
  // Pods with hostname rules are placed first: their rules count the pods that are already on the
  // node.
  const entries = [...podsPerShape].toSorted(([a], [b]) => Number(haveHostRules(b)) - Number(haveHostRules(a)));
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

/**
 * @returns whether the node has any pod
 */
function openNode(
  state: PackingState,
  template: NodeClaimTemplate,
  entries: readonly (readonly [PodShape, number])[],
): boolean {
  const option = findWaitingMember(entries)?.options.find((one) => one.template === template);
  const newNode = option && openNewNode(state, option);
  if (!newNode) return false;
  for (const [{ members }, pods] of entries) placeInOrder(state, newNode, members, pods);
  if (newNode.podCounts.size === 0) discardNewNode(state, newNode);
  return newNode.podCounts.size > 0;
}

function findWaitingMember(entries: readonly (readonly [PodShape, number])[]): HeaviestOptions | undefined {
  for (const [{ members }] of entries) for (const member of members) if (member.podGroup.count > 0) return member;
  return undefined;
}

/** Takes the pods of a shape from its groups in their order. */
function placeInOrder(
  state: PackingState,
  newNode: NewNode,
  members: readonly HeaviestOptions[],
  maxPods: number,
): void {
  let remaining = maxPods;
  for (const { podGroup } of members) {
    if (remaining === 0) return;
    if (podGroup.count > 0) remaining -= placePods(state, newNode, podGroup, Math.min(remaining, podGroup.count));
  }
}
