import type { PodGroup } from '../../assignment/pod-groups.ts';
import { ranking } from '../../data-structures/lazy-ranking.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { placePods } from '../new-nodes/joining.ts';
import { type NewNode, type PackingState, discardNewNode, openNewNode } from '../new-nodes/packing-state.ts';
import { crowdsOf } from '../pricing/eligibility-groups.ts';
import { type Stall, type StallOffer, stallsOf } from '../pricing/offer-groups.ts';
import { type PodPrices, podPricing } from '../pricing/pod-prices.ts';
import { bestOf, worthOf, worthOfSlots } from '../pricing/shadow-prices.ts';
import { type Choice, packByWeight, type Refusal } from './by-weight.ts';
import { type EmptyNode, fillNode, type Menu, menuOf, type PricedShape } from './node-fill.ts';
import { areChoosy, podsOf, type Shape, type Shapes, shapesOf } from './pod-shapes.ts';

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
  drafting: PackingState,
  units: readonly PodGroup[],
  perNodeUsd = drafting.problem.perNodeUsd,
): void {
  const problem = { ...drafting.problem, perNodeUsd };
  packByWeight(drafting, units, (choices) => packChoices(drafting, choices, problem));
}

/** @returns what could not be opened; none once every pod has its node */
function packChoices(
  drafting: PackingState,
  choices: readonly Choice[],
  problem: Problem,
): readonly Refusal[] {
  const crowds = crowdsOf(choices, ({ options }) => options, problem);
  const shapes = shapesOf(crowds);
  const stalls = stallsOf(crowds, problem, problem.perNodeUsd);
  const pricesNow = podPricing(choices, crowds, stalls, shapes, problem);
  while (shapes.shapes.some(({ count }) => count > 0)) {
    const refused = packHalf(drafting, shapes, stalls, pricesNow());
    if (refused.length > 0) return refused;
  }
  return [];
}

/** Opens nodes until half of what the pods are worth is packed. */
function packHalf(
  drafting: PackingState,
  { shapes, slots }: Shapes,
  stalls: readonly Stall[],
  prices: PodPrices,
): readonly Refusal[] {
  const priced = shapes
    .filter(({ count }) => count > 0)
    .map((shape): PricedShape => ({ shape, usd: prices.ofPod(shape) }));
  const start = worthLeft(priced);
  const offers = ranking(
    stalls.flatMap((stall) => promising(stall, priced, prices, slots, stalls.length)),
    ({ node, menu }) => fillNode(node, menu) / node.usd,
  );
  let left = start;
  while (left > start / 2) {
    const offer = offers.best();
    if (!offer) return left < start ? [] : allRefused(shapes);
    const contents = new Map<Shape, number>();
    fillNode(offer.node, offer.menu, (shape, pods) => {
      contents.set(shape, (contents.get(shape) ?? 0) + pods);
    });
    const refused = openNodes(drafting, offer.stall.template, contents);
    if (refused.length > 0) return refused;
    left = worthLeft(priced);
  }
  return [];
}

const worthLeft = (priced: readonly PricedShape[]): number =>
  priced.reduce((sum, { shape, usd }) => sum + shape.count * usd, 0);

const allRefused = (shapes: readonly Shape[]): Refusal[] =>
  shapes.flatMap(({ members }) =>
    members.flatMap(({ unit, options }) =>
      unit.count > 0 ? options.map((option) => ({ unit, option })) : [],
    ),
  );

/** A node that could be opened, with those who may be on it. */
interface Opportunity {
  readonly stall: Stall;
  readonly node: EmptyNode;
  readonly menu: Menu;
}

/** Nodes are filled on trial only so many at a time, over all stalls and of each at least. */
const MOST_TRIED = 32;
const LEAST_TRIED = 6;

/** What is left goes on a node that is half empty then, but not on one that is larger yet. */
const MOST_TIMES_TOO_LARGE = 1.5;

/** The nodes of a stall that give most for their price, were they filled to the last byte. */
function promising(
  stall: Stall,
  priced: readonly PricedShape[],
  { ofResources, slots: pricedSlots }: PodPrices,
  slots: readonly number[],
  stalls: number,
): Opportunity[] {
  const visitors = priced.filter(({ shape }) => stall.crowds.includes(shape.crowd));
  if (visitors.length === 0) return [];
  const menu = menuOf(visitors);
  const { usd: usdPerUnit } = bestOf(stall.crowds, ofResources);
  const slotsUsd = worthOfSlots(usdPerUnit, pricedSlots);
  const mostUsd = worthLeft(visitors) * MOST_TIMES_TOO_LARGE;
  const small = stall.offers.filter(({ usd }) => usd <= mostUsd);
  return (small.length > 0 ? small : stall.offers)
    .map((offer) => ({
      offer,
      percent: percentOf(worthOf(usdPerUnit, offer.room) + slotsUsd, offer),
    }))
    .toSorted((a, b) => b.percent - a.percent)
    .slice(0, Math.max(LEAST_TRIED, MOST_TRIED / stalls))
    .map(({ offer }) => ({ stall, node: { ...offer, usdPerUnit, slots }, menu }));
}

/** Whole percents: among nodes that are as good the smaller, which come first, are easier to fill. */
const percentOf = (worthUsd: number, { usd }: StallOffer): number =>
  Math.round((100 * worthUsd) / usd);

/** Pods that are to share a node. */
type NodeContents = ReadonlyMap<Shape, number>;

/**
 * Opens as many nodes with these contents as there are pods for.
 *
 * @returns who could not be put on the first of them, if nobody could
 */
function openNodes(
  drafting: PackingState,
  template: NodeClaimTemplate,
  contents: NodeContents,
): readonly Refusal[] {
  // They come first: rules on the host count those who are there already.
  const entries = [...contents].toSorted(([a], [b]) => Number(areChoosy(b)) - Number(areChoosy(a)));
  const nodes = Math.min(...entries.map(([{ count }, pods]) => Math.floor(count / pods)));
  let opened = 0;
  while (opened < nodes && openNode(drafting, template, entries)) opened += 1;
  for (const [shape] of entries) shape.count = podsOf(shape.members);
  return opened > 0 ? [] : entries.flatMap(([shape]) => refusalsOf(shape, template));
}

function refusalsOf({ members }: Shape, template: NodeClaimTemplate): Refusal[] {
  return members.flatMap(({ unit, options }) => {
    const option = options.find((one) => one.template === template);
    return option && unit.count > 0 ? [{ unit, option }] : [];
  });
}

/** @returns whether any pod came onto it */
function openNode(
  drafting: PackingState,
  template: NodeClaimTemplate,
  entries: readonly (readonly [Shape, number])[],
): boolean {
  const first = entries.flatMap(([{ members }]) => members).find(({ unit }) => unit.count > 0);
  const option = first?.options.find((one) => one.template === template);
  const draft = option && openNewNode(drafting, option);
  if (!draft) return false;
  for (const [{ members }, pods] of entries) putInTurn(drafting, draft, members, pods);
  if (draft.podCounts.size === 0) discardNewNode(drafting, draft);
  return draft.podCounts.size > 0;
}

/** Pods of one shape are taken from its units in their order. */
function putInTurn(
  drafting: PackingState,
  draft: NewNode,
  members: readonly Choice[],
  most: number,
): void {
  let left = most;
  for (const { unit } of members) {
    if (left === 0) return;
    if (unit.count > 0) left -= placePods(drafting, draft, unit, Math.min(left, unit.count));
  }
}
