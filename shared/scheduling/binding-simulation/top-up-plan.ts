import type { PodGroup } from '../assignment/pod-groups.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { scaleNodeCosts } from '../input/node-costs.ts';
import type { PackedBatch } from '../karpenter-price/adopt-karpenter-plan.ts';
import type { KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import { packByResources } from '../packing/constructions/pack-by-resources.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { type Packing, pack, withPackingState } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { REPEATED_FROM } from './evaluation/binding-orders.ts';
import { bindsCompletely, type EvaluatedPacking } from './evaluation/evaluate-packing.ts';
import { countPodsOnLighterPools } from './evaluation/pool-weights.ts';
import { createSimulationContext, type SimulationContext } from './evaluation/simulation-context.ts';
import { createSimulationRuns } from './evaluation/simulation-runs.ts';
import { computePriceCeilingUsd } from './price-ceiling.ts';
import { mayFillLast } from './repair-moves/random-moves.ts';
import { withOwnNodes } from './repair-moves/separate-nodes.ts';
import { withLargerTypes } from './repair-moves/targeted-moves.ts';
import { countOperationsPerNode, type PodClassModel } from './scheduler-model/pod-class-models.ts';
import { CPU_COLUMN, MEMORY_COLUMN } from './scheduler-model/resource-score.ts';
import { countNodes } from './search/reduce-nodes.ts';

/** By which packings are compared: reversed, as planned, and two random orders. Among many pods, these hardly differ. */
const ORDERS = [1, 0, 3, 4] as const;

/** In which the pods have to bind, as far as the operations suffice: the same, with other tie-breaks as well. */
const ALL_ORDERS = [...ORDERS, REPEATED_FROM, REPEATED_FROM + 1, 5, 6] as const;

/**
 * Operations that the simulations of one plan may take. Larger batches are not simulated: the first pods of a burst
 * must not wait for a search.
 */
const MAX_OPERATIONS = 2_000_000;

/** Simulations that the operations must suffice for: of each start, and of the packings with more room. */
const MIN_SIMULATIONS = 6 * ORDERS.length;

/** Share of the remaining operations for the most promising start. The start with the fewest nodes gets the others. */
const START_SHARE = 2 / 3;

/** A way to pack the batch that may need less room than the cheapest packing once all pods bind. */
interface Alternative {
  /** Costs of a node as a multiple: large nodes leave fewer ways to displace pods. */
  readonly nodeCostFactor: number;
  /**
   * Pods of at least this share of the largest pod's size get nodes of their own, which fill last. Then small pods
   * do not take the only room that is large enough for them.
   */
  readonly largeShare?: number;
}

/** In six clusters of 500 to 1,400 pods at three hours, one of these needed least, or 2 % more. */
const ALTERNATIVES: readonly Alternative[] = [
  { nodeCostFactor: 200 },
  { nodeCostFactor: 1, largeShare: 1 },
  { nodeCostFactor: 100, largeShare: 1 },
  { nodeCostFactor: 100, largeShare: 1 / 3 },
];

/** Operations that the scores of preferences take for each node. */
const PREFERENCE_OPERATIONS = 2;

/** Assumed costs of nodes for displaced pods, as a multiple. */
const ADDED_NODE_COST_FACTOR = 10;

/** Room for a share of the pods costs about four times this share of the packing: displaced pods are large. */
const ROOM_COST_FACTOR = 4;

/**
 * Adds room to the plan of a large batch until its pods find a node in each of a few binding orders. The nodes of
 * displaced pods fill last if that helps; pods that are displaced nevertheless get nodes of their own, or larger
 * ones. Small batches are searched for cheaper changes, which takes too many simulations here.
 *
 * @returns the batch itself if it is too large to be simulated
 */
export function topUpPlan(
  batch: PackedBatch,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
): PackedBatch {
  const { assigned, packing } = batch;
  const maxHourlyUsd = computePriceCeilingUsd(assigned, packing, classes, karpenterRuns);
  const context = createSimulationContext(assigned, packing, classes, maxHourlyUsd);
  const simulation = createSimulation(context);
  if (!simulation.suffices(packing, MIN_SIMULATIONS)) return batch;
  const cheapest = simulation.run(packing, ORDERS);
  if (bindsCompletely(cheapest)) return batch;
  const starts = [
    cheapest,
    ...packAlternatives(assigned, context).flatMap((one) =>
      simulation.suffices(one, ORDERS.length) ? simulation.run(one, ORDERS) : [],
    ),
  ];
  const estimateUsd = createCostEstimate(context);
  const cheap = starts.reduce((best, next) => (estimateUsd(next) < estimateUsd(best) ? next : best));
  const toppedUp = simulation.withShare(START_SHARE, () => addRoom(simulation, cheap, assigned.podGroups));
  const small = starts.reduce((best, next) => (countNodes(next.packing) < countNodes(best.packing) ? next : best));
  // From the same start, fewer operations lead no further.
  if (toppedUp.binds || small === cheap) return { assigned, packing: toppedUp.packing };
  const other = addRoom(simulation, small, assigned.podGroups);
  return { assigned, packing: (other.binds ? other : toppedUp).packing };
}

function packAlternatives({ problem, podGroups }: PackedBatch['assigned'], context: SimulationContext): Packing[] {
  const { maxUnplacedPods, maxHourlyUsd, baselinePodsOnLighterPools } = context;
  const measurePod = createPodMeasure(context);
  const largest = Math.max(...podGroups.map(({ cls }) => measurePod(cls)));
  return ALTERNATIVES.map(({ nodeCostFactor, largeShare = Infinity }) => {
    const nodeCosts = scaleNodeCosts(problem.nodeCosts, nodeCostFactor);
    const isLarge = ({ cls }: PodGroup): boolean => measurePod(cls) >= largest * largeShare;
    let largeNodes: readonly NewNode[] = [];
    const packing = pack(problem, podGroups, (state, groups) => {
      packByResources(state, groups.filter(isLarge), nodeCosts);
      largeNodes = [...state.newNodes];
      packByResources(
        state,
        groups.filter((podGroup) => !isLarge(podGroup)),
        nodeCosts,
      );
    });
    return letFillLast(packing, (newNode) => largeNodes.includes(newNode), podGroups);
  }).filter(
    ({ unplacedPods, hourlyUsd, packingState }) =>
      unplacedPods <= maxUnplacedPods &&
      hourlyUsd <= maxHourlyUsd &&
      countPodsOnLighterPools(packingState) <= baselinePodsOnLighterPools,
  );
}

/** Simulates packings within the operations of one plan. */
interface Simulation {
  readonly context: SimulationContext;
  /** True if the operations suffice for so many simulations of the packing. */
  suffices(packing: Packing, simulations: number): boolean;
  run(packing: Packing, orders: readonly number[]): EvaluatedPacking;
  /** Keeps the other operations for later. */
  withShare<T>(share: number, search: () => T): T;
}

function createSimulation(context: SimulationContext): Simulation {
  let operations = MAX_OPERATIONS;
  return {
    context,
    suffices: (packing, simulations) => operations >= countOperations(context, packing) * simulations,
    run: (packing, orders) => {
      operations -= countOperations(context, packing) * orders.length;
      const runs = createSimulationRuns(context, packing);
      for (const order of orders) runs.run(order);
      return { ...runs.result(), orders: 0 };
    },
    withShare: (share, search) => {
      const kept = operations * (1 - share);
      operations -= kept;
      const result = search();
      operations += kept;
      return result;
    },
  };
}

interface ToppedUp {
  readonly packing: Packing;
  /** True if all pods bind in every order. */
  readonly binds: boolean;
}

/** Adds room for displaced pods, order by order, until all orders bind or the operations are used up. */
function addRoom(simulation: Simulation, start: EvaluatedPacking, podGroups: readonly PodGroup[]): ToppedUp {
  const { context } = simulation;
  const first = chooseFillingLast(simulation, start, podGroups);
  let { packing } = first;
  let boundOrders = 0;
  for (let round = 0; boundOrders < ALL_ORDERS.length && simulation.suffices(packing, 1); round++) {
    const evaluated = simulation.run(packing, [ALL_ORDERS[round % ALL_ORDERS.length] ?? 0]);
    if (bindsCompletely(evaluated)) {
      boundOrders += 1;
      continue;
    }
    boundOrders = 0;
    const next = addRoomFor(evaluated, context, podGroups);
    if (!next || next.hourlyUsd > context.maxHourlyUsd) break;
    packing = letFillLast(next, first.isFillingLast, podGroups);
  }
  return { packing, binds: boundOrders === ALL_ORDERS.length };
}

/** Lets the nodes of displaced pods fill last, if that leaves fewer pods without a node. */
function chooseFillingLast(
  simulation: Simulation,
  start: EvaluatedPacking,
  podGroups: readonly PodGroup[],
): { readonly packing: Packing; readonly isFillingLast: (newNode: NewNode) => boolean } {
  const displaced = new Set([...start.displaced.values()].flat().map(({ cls }) => cls));
  const isFillingLast = ({ podCounts }: NewNode): boolean =>
    [...podCounts.keys()].some(({ cls }) => displaced.has(cls));
  const packing = letFillLast(start.packing, isFillingLast, podGroups);
  const unchanged = { packing: start.packing, isFillingLast: () => false };
  if (packing === start.packing || !simulation.suffices(packing, MIN_SIMULATIONS)) return unchanged;
  const steered = simulation.run(packing, ORDERS);
  const measureShare = createDisplacedShare(simulation.context);
  return measureShare(steered) < measureShare(start) ? { packing, isFillingLast } : unchanged;
}

/** Estimates what a packing costs once all of its pods bind. */
function createCostEstimate(context: SimulationContext): (evaluated: EvaluatedPacking) => number {
  const measureShare = createDisplacedShare(context);
  return (evaluated) => evaluated.packing.costUsd * (1 + ROOM_COST_FACTOR * measureShare(evaluated));
}

/** Measures how much of the CPU and memory of the batch displaced pods request, as a share: the mean of all orders. */
function createDisplacedShare(context: SimulationContext): (evaluated: EvaluatedPacking) => number {
  const measurePod = createPodMeasure(context);
  return ({ displaced }) => {
    const pods = [...displaced.values()].flat();
    return pods.reduce((sum, one) => sum + one.pods * measurePod(one.cls), 0) / Math.max(1, displaced.size);
  };
}

/** Measures how much of the CPU and memory of the batch one pod of a class requests, as a share. */
function createPodMeasure({ podClasses: { models, modelByClass } }: SimulationContext): (cls: PodClass) => number {
  const sumOf = (column: number): number =>
    models.reduce((sum, { request, cls }) => sum + at(request, column) * cls.pods.length, 0) || 1;
  const [cpu, memory] = [sumOf(CPU_COLUMN), sumOf(MEMORY_COLUMN)];
  return (cls) => {
    const request = modelByClass.get(cls)?.request;
    return request ? (at(request, CPU_COLUMN) / cpu + at(request, MEMORY_COLUMN) / memory) / 2 : 0;
  };
}

/** Adds nodes for the displaced pods; if their nodes hold no other pods, larger ones. */
const addRoomFor = (
  evaluated: EvaluatedPacking,
  context: SimulationContext,
  podGroups: readonly PodGroup[],
): Packing | undefined =>
  withOwnNodes(
    evaluated,
    [...evaluated.displaced.values()].flat(),
    podGroups,
    1,
    scaleNodeCosts(context.problem.nodeCosts, ADDED_NODE_COST_FACTOR),
  ) ?? withLargerTypes(evaluated, 1, context);

/**
 * Lets some nodes fill last, where their pool allows it.
 *
 * @returns the packing itself if that changes no node
 */
function letFillLast(
  packing: Packing,
  isChosen: (newNode: NewNode) => boolean,
  podGroups: readonly PodGroup[],
): Packing {
  const { packingState } = packing;
  const isSteered = packingState.newNodes.map(
    (newNode) =>
      !newNode.fillsLast && isChosen(newNode) && mayFillLast(newNode.template, podGroups, packingState.problem),
  );
  if (!isSteered.includes(true)) return packing;
  const newNodes = packingState.newNodes.map((newNode, number) =>
    isSteered[number] ? { ...newNode, fillsLast: true } : newNode,
  );
  return withPackingState(packing, { ...packingState, newNodes });
}

/** Counts the operations of one simulation. */
function countOperations({ podClasses: { models }, problem }: SimulationContext, { packingState }: Packing): number {
  const nodes = problem.existingNodes.length + packingState.newNodes.length;
  const perNode = models.reduce((total, model) => total + model.cls.pods.length * countScoredOperations(model), 0);
  return perNode * nodes;
}

function countScoredOperations(model: PodClassModel): number {
  const { softSpreads, affinityWeights, cls } = model;
  const hasPreferences = softSpreads.length + affinityWeights.length + cls.spec.preferredNodeTerms.length > 0;
  return countOperationsPerNode(model) + (hasPreferences ? PREFERENCE_OPERATIONS : 0);
}
