import type { PodGroup } from '../assignment/pod-groups.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { scaleNodeCosts } from '../input/node-costs.ts';
import type { PackedBatch } from '../karpenter-price/adopt-karpenter-plan.ts';
import type { KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import { packByResources } from '../packing/constructions/pack-by-resources.ts';
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

/** By which packings are compared: reversed, as planned, and two random orders. Among many pods, these hardly differ. */
const ORDERS = [1, 0, 3, 4] as const;

/** In which the pods have to bind, as far as the operations suffice: the same, with other tie-breaks as well. */
const ALL_ORDERS = [...ORDERS, REPEATED_FROM, REPEATED_FROM + 1, 5, 6] as const;

/**
 * Operations that the simulations of one plan may take. Larger batches are not simulated: the first pods of a burst
 * must not wait for a search.
 */
const MAX_OPERATIONS = 1_000_000;

/** Simulations that the operations must suffice for: of each start, and of the packings with more room. */
const MIN_SIMULATIONS = 3 * ORDERS.length;

/** Operations that the scores of preferences take for each node. */
const PREFERENCE_OPERATIONS = 2;

/**
 * Packings of fewer nodes are compared with the cheapest one: large nodes leave fewer ways to displace pods, so that
 * they often need less once all pods bind.
 */
const FEW_NODES_COST_FACTORS = [10, 30] as const;

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
    ...packFewNodes(assigned, context).flatMap((one) =>
      simulation.suffices(one, MIN_SIMULATIONS) ? simulation.run(one, ORDERS) : [],
    ),
  ];
  const estimateUsd = createCostEstimate(context);
  const start = starts.reduce((best, next) => (estimateUsd(next) < estimateUsd(best) ? next : best));
  return { assigned, packing: addRoom(simulation, start, assigned.podGroups) };
}

function packFewNodes(
  { problem, podGroups }: PackedBatch['assigned'],
  { maxUnplacedPods, maxHourlyUsd, baselinePodsOnLighterPools }: SimulationContext,
): Packing[] {
  return FEW_NODES_COST_FACTORS.map((factor) => {
    const nodeCosts = scaleNodeCosts(problem.nodeCosts, factor);
    return pack(problem, podGroups, (state, groups) => packByResources(state, groups, nodeCosts));
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
  };
}

/** Adds room for displaced pods, order by order, until all orders bind or the operations are used up. */
function addRoom(simulation: Simulation, start: EvaluatedPacking, podGroups: readonly PodGroup[]): Packing {
  const { context } = simulation;
  const first = chooseFillingLast(simulation, start, podGroups);
  let { packing } = first;
  for (let round = 0, boundOrders = 0; boundOrders < ALL_ORDERS.length && simulation.suffices(packing, 1); round++) {
    const evaluated = simulation.run(packing, [ALL_ORDERS[round % ALL_ORDERS.length] ?? 0]);
    if (bindsCompletely(evaluated)) {
      boundOrders += 1;
      continue;
    }
    boundOrders = 0;
    const next = addRoomFor(evaluated, context, podGroups);
    if (!next || next.hourlyUsd > context.maxHourlyUsd) break;
    packing = letFillLast(next, first.fillingLast, podGroups);
  }
  return packing;
}

/** Lets the nodes of displaced pods fill last, if that leaves fewer pods without a node. */
function chooseFillingLast(
  simulation: Simulation,
  start: EvaluatedPacking,
  podGroups: readonly PodGroup[],
): { readonly packing: Packing; readonly fillingLast: ReadonlySet<PodClass> } {
  const fillingLast = new Set([...start.displaced.values()].flat().map(({ cls }) => cls));
  const packing = letFillLast(start.packing, fillingLast, podGroups);
  const unchanged = { packing: start.packing, fillingLast: new Set<PodClass>() };
  if (packing === start.packing || !simulation.suffices(packing, MIN_SIMULATIONS)) return unchanged;
  const steered = simulation.run(packing, ORDERS);
  const measureShare = createDisplacedShare(simulation.context);
  return measureShare(steered) < measureShare(start) ? { packing, fillingLast } : unchanged;
}

/** Estimates what a packing costs once all of its pods bind. */
function createCostEstimate(context: SimulationContext): (evaluated: EvaluatedPacking) => number {
  const measureShare = createDisplacedShare(context);
  return (evaluated) => evaluated.packing.costUsd * (1 + ROOM_COST_FACTOR * measureShare(evaluated));
}

/** Measures how much of the CPU and memory of the batch displaced pods request, as a share: the mean of all orders. */
function createDisplacedShare({
  podClasses: { models, modelByClass },
}: SimulationContext): (evaluated: EvaluatedPacking) => number {
  const sumOf = (column: number): number =>
    models.reduce((sum, { request, cls }) => sum + at(request, column) * cls.pods.length, 0) || 1;
  const [cpu, memory] = [sumOf(CPU_COLUMN), sumOf(MEMORY_COLUMN)];
  const measurePod = (cls: PodClass): number => {
    const request = modelByClass.get(cls)?.request;
    return request ? (at(request, CPU_COLUMN) / cpu + at(request, MEMORY_COLUMN) / memory) / 2 : 0;
  };
  return ({ displaced }) => {
    const pods = [...displaced.values()].flat();
    return pods.reduce((sum, one) => sum + one.pods * measurePod(one.cls), 0) / Math.max(1, displaced.size);
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
    scaleNodeCosts(context.problem.nodeCosts, FEW_NODES_COST_FACTORS[0]),
  ) ?? withLargerTypes(evaluated, 1, context);

/**
 * Lets the nodes with pods of these classes fill last.
 *
 * @returns the packing itself if that changes no node
 */
function letFillLast(packing: Packing, classes: ReadonlySet<PodClass>, podGroups: readonly PodGroup[]): Packing {
  const { packingState } = packing;
  const isSteered = packingState.newNodes.map(
    ({ fillsLast, podCounts, template }) =>
      !fillsLast &&
      [...podCounts.keys()].some(({ cls }) => classes.has(cls)) &&
      mayFillLast(template, podGroups, packingState.problem),
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
