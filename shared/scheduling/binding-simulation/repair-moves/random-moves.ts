import type { RandomStream } from '../../../model/random.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { assumeNodeCost } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { growForPods } from '../../packing/new-nodes/grow-nodes.ts';
import { findCheapestType, type NewNode } from '../../packing/new-nodes/new-node.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import type { EvaluatedPacking } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { withUnplacedPods } from './leave-pods.ts';
import { withMergedNodes, withoutNodes } from './remove-nodes.ts';
import { listOtherSizes } from './resize-nodes.ts';
import { withOwnNodes, withSmallNodes } from './separate-nodes.ts';

/**
 * Returns a copy of the packing with one random change, or undefined if the change is not possible.
 */
type RepairMove = (
  context: SimulationContext,
  evaluated: EvaluatedPacking,
  podGroups: readonly PodGroup[],
  random: RandomStream,
) => Packing | undefined;

/** Gives own nodes to the pods that one order displaces, or to some of them. */
const giveOwnNodes: RepairMove = (_, evaluated, podGroups, random) =>
  withOwnNodes(
    evaluated,
    pickOne(listFailingOrders(evaluated), random) ?? [],
    podGroups,
    random() < 0.5 ? 1 : random(),
  );

/** Adds room for a displaced class, on all nodes that would take its pods or on some. */
const growNodes: RepairMove = ({ problem }, { packing, nodes, ...evaluated }, _, random) => {
  const { packingState } = packing;
  const displaced = pickDisplaced(evaluated, random);
  if (!displaced) return undefined;
  const copies = new Map(packingState.newNodes.map((newNode) => [newNode, { ...newNode }]));
  const suiting = displaced.nodes.flatMap((number) => nodes[number]?.newNode ?? []);
  const chosen = random() < 0.5 ? suiting : suiting.filter(() => random() < 0.4);
  const growing = chosen.flatMap((newNode) => copies.get(newNode) ?? []);
  if (!growForPods(displaced.cls, Math.ceil(displaced.pods * random()), growing, problem)) return undefined;
  return withPackingState(packing, { ...packingState, newNodes: [...copies.values()] });
};

/** Maximum price increase of one node, as a share of the price of the packing. */
const MAX_PRICE_INCREASE = 0.15;

/** Gives one node another size. */
const resizeNode: RepairMove = (context, { packing }, _, random) =>
  resizeRandomNode(context, packing, packing.hourlyUsd * MAX_PRICE_INCREASE, random);

const shrinkNode: RepairMove = (context, { packing }, _, random) => resizeRandomNode(context, packing, 0, random);

function resizeRandomNode(
  { problem }: SimulationContext,
  packing: Packing,
  maxIncreaseUsd: number,
  random: RandomStream,
): Packing | undefined {
  const { packingState } = packing;
  const number = Math.floor(random() * packingState.newNodes.length);
  const sized = pickOne(listOtherSizes(packingState, number, maxIncreaseUsd, problem), random);
  if (!sized) return undefined;
  return withPackingState(packing, {
    ...packingState,
    newNodes: packingState.newNodes.with(number, sized),
  });
}

/** Merges two nodes into one. */
const mergeNodes: RepairMove = (_, { packing }, __, random) => {
  const { length } = packing.packingState.newNodes;
  return withMergedNodes(packing, Math.floor(random() * length), Math.floor(random() * length));
};

/** Moves the pods of one or two nodes to other nodes. */
const dissolveNodes: RepairMove = (_, { packing }, __, random) => {
  const { length } = packing.packingState.newNodes;
  const numbers = Array.from({ length: random() < 0.5 ? 1 : 2 }, () => Math.floor(random() * length));
  return withoutNodes(packing, new Set(numbers), {
    join: random() < 0.5,
    nodeCosts:
      random() < 0.5 ? packing.packingState.problem.nodeCosts : assumeNodeCost(random() * MAX_ASSUMED_NODE_COST_USD),
  });
};

const MAX_ASSUMED_NODE_COST_USD = 0.5;

/** Moves a displaced class to small nodes, on which larger pods do not fit. */
const useSmallNodes: RepairMove = ({ problem }, { packing, ...evaluated }, podGroups, random) => {
  const displaced = pickDisplaced(evaluated, random);
  const maxPods = 1 + Math.floor(random() * MAX_PODS_PER_SMALL_NODE);
  return displaced && withSmallNodes(displaced.cls, maxPods, packing, podGroups, problem);
};

const MAX_PODS_PER_SMALL_NODE = 5;

/** Moves a node to another zone, if topology rules leave no node at all to the displaced pods. */
const moveToOtherZone: RepairMove = ({ problem }, { packing, ...evaluated }, _, random) => {
  const displaced = pickDisplaced(evaluated, random);
  if (!displaced || displaced.nodes.length > 0) return undefined;
  const { packingState } = packing;
  const number = Math.floor(random() * packingState.newNodes.length);
  const chosen = packingState.newNodes[number];
  if (!chosen) return undefined;
  const { where } = chosen;
  const zones = pickOne(listZones(where.zones), random) ?? where.zones;
  const newNode = { ...chosen, where: { ...where, zones } };
  if (zones === where.zones || findCheapestType(newNode, problem).hourlyUsd === Infinity) return undefined;
  return withPackingState(packing, {
    ...packingState,
    newNodes: packingState.newNodes.with(number, newNode),
  });
};

/** Lists the zones of a zone set, each as a set of one. */
const listZones = (zones: number): number[] =>
  Array.from({ length: 31 }, (_, bit) => 2 ** bit).filter((bit) => (zones & bit) !== 0);

/**
 * Makes nodes fill last, or no longer: one node, those of its type, or those that cost at least as much.
 * Pods that fit elsewhere then leave their room to pods that do not.
 */
const fillLast: RepairMove = ({ problem }, { packing }, podGroups, random) => {
  const { packingState } = packing;
  const chosen = pickOne(packingState.newNodes, random);
  if (!chosen) return undefined;
  const { type, hourlyUsd } = findCheapestType(chosen, problem);
  const isAlike = pickOne<(newNode: NewNode) => boolean>(
    [
      (newNode) => newNode === chosen,
      (newNode) => findCheapestType(newNode, problem).type === type,
      (newNode) => findCheapestType(newNode, problem).hourlyUsd >= hourlyUsd,
    ],
    random,
  );
  const fillsLast = !chosen.fillsLast;
  const newNodes = packingState.newNodes.map((newNode) =>
    isAlike?.(newNode) && (!fillsLast || mayFillLast(newNode.template, podGroups, problem))
      ? { ...newNode, fillsLast }
      : newNode,
  );
  return withPackingState(packing, { ...packingState, newNodes });
};

/**
 * Returns false if pods that may run on nodes of the pool prefer nodes themselves: kube-scheduler weighs
 * the taint more than their preference.
 */
const mayFillLast = ({ pool }: NodeClaimTemplate, podGroups: readonly PodGroup[], { snapshot }: Problem): boolean =>
  snapshot.settings?.steerPods !== false &&
  podGroups.every(
    ({ cls, options }) =>
      cls.spec.preferredNodeTerms.length === 0 || options.every(({ template }) => template.pool !== pool),
  );

/** Leaves some displaced pods unplaced, if no node can be found for them. */
const leavePods: RepairMove = ({ maxUnplacedPods }, { packing, ...evaluated }, podGroups, random) => {
  const maxPods = maxUnplacedPods - packing.unplacedPods;
  const displaced = pickDisplaced(evaluated, random);
  if (maxPods <= 0 || !displaced) return undefined;
  return withUnplacedPods(packing, displaced, podGroups, Math.min(maxPods, pickCount(displaced, random)));
};

const pickCount = (displaced: DisplacedPods, random: RandomStream): number =>
  Math.max(1, Math.floor(random() * displaced.pods));

/** Moves that every search tries. `growNodes` is listed twice because it helps most often. */
const COMMON_MOVES: readonly RepairMove[] = [
  giveOwnNodes,
  growNodes,
  growNodes,
  resizeNode,
  shrinkNode,
  mergeNodes,
  dissolveNodes,
  useSmallNodes,
  moveToOtherZone,
  leavePods,
];

/** Lists all moves that are possible for the pods, each equally likely. */
export function listRandomMoves({ problem }: SimulationContext, podGroups: readonly PodGroup[]): readonly RepairMove[] {
  const isPossible = podGroups.some(({ options }) =>
    options.some(({ template }) => mayFillLast(template, podGroups, problem)),
  );
  return isPossible ? [...COMMON_MOVES, fillLast, fillLast] : COMMON_MOVES;
}

/** Picks a class that one of the failing orders displaces. */
const pickDisplaced = (
  evaluated: Pick<EvaluatedPacking, 'displaced'>,
  random: RandomStream,
): DisplacedPods | undefined => pickOne(pickOne(listFailingOrders(evaluated), random) ?? [], random);

const listFailingOrders = ({ displaced }: Pick<EvaluatedPacking, 'displaced'>): (readonly DisplacedPods[])[] =>
  [...displaced.values()].filter(({ length }) => length > 0);

const pickOne = <T>(all: readonly T[], random: RandomStream): T | undefined => all[Math.floor(random() * all.length)];
