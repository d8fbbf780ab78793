import type { AssignedBatch } from '../../assignment/assign-batch.ts';
import type { Problem } from '../../input/problem.ts';
import { computeCheapestNodeUsd } from '../../packing/constructions/node-offers.ts';
import type { Packing } from '../../packing/packing.ts';
import { countPods, type PodClass } from '../../pods/pod-classes.ts';
import { createTopology } from '../../topology/topology.ts';
import { createNodeModelRegistry, type NodeModelRegistry } from '../scheduler-model/node-models.ts';
import {
  buildPodClassModels,
  countOperationsPerNode,
  type PodClassModels,
} from '../scheduler-model/pod-class-models.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { type BindingOrder, INITIAL_ORDERS, MAX_ORDERS } from './binding-orders.ts';
import { countPodsOnLighterPools } from './pool-weights.ts';
import { createWorkBudget, type WorkBudget } from './work-budget.ts';

/**
 * The state that all simulations for one batch share. `budget`, `adversarialOrders` and the caches
 * change while packings are evaluated.
 */
export interface SimulationContext {
  readonly problem: Problem;
  readonly placed: AssignedBatch['placed'];
  readonly nodeModels: NodeModelRegistry;
  readonly podClasses: PodClassModels;
  readonly penaltyUsd: (cls: PodClass) => number;
  readonly budget: WorkBudget;
  /** Price ceiling of the final packing, in USD per hour. */
  readonly maxHourlyUsd: number;
  /**
   * Indices of the orders in which every packing is simulated. Orders that displace pods of a
   * candidate are added.
   */
  readonly adversarialOrders: number[];
  /**
   * Displaced pods by the nodes and pods of a packing, then by order. Only orders that do not
   * depend on the plan are cached.
   */
  readonly cachedResults: Map<string, Map<number, readonly DisplacedPods[]>>;
  /** Orders that do not depend on the plan, by the pods that a packing leaves unplaced, then by index. */
  readonly cachedOrders: Map<string, Map<number, BindingOrder>>;
  /** Maximum number of pods that a packing may leave unplaced. */
  readonly maxUnplacedPods: number;
  /** Unplaced pods of the cheapest packing. */
  readonly baselineUnplacedPods: ReadonlyMap<PodClass, number>;
  /** Price of the cheapest packing, in USD per hour. */
  readonly baselineHourlyUsd: number;
  /** Pods that the cheapest packing puts on pools of too low a weight. */
  readonly baselinePodsOnLighterPools: number;
}

/** Visits that all simulations of one plan may take together. */
const MAX_VISITS = 30_000_000;

/** Simulations in all orders that may follow the search: of the results that it compares, and of the chosen one. */
const FINAL_SIMULATIONS = 4;

/**
 * @param maxHourlyUsd - price ceiling of the final packing, in USD per hour
 * @param maxUnplacedPods - maximum number of unplaced pods, those of the cheapest packing included
 */
export function createSimulationContext(
  { problem, placed, podGroups, moving }: AssignedBatch,
  baseline: Packing,
  classes: readonly PodClass[],
  maxHourlyUsd: number,
  maxUnplacedPods = baseline.unplacedPods,
): SimulationContext {
  const topology = createTopology(problem, classes, moving);
  const cheapest = new Map<PodClass, number>();
  for (const podGroup of podGroups) {
    const usd = computeCheapestNodeUsd(podGroup, problem);
    cheapest.set(podGroup.cls, Math.min(usd, cheapest.get(podGroup.cls) ?? Infinity));
  }
  const podClasses = buildPodClassModels(problem, classes, topology);
  const nodes = problem.existingNodes.length + baseline.packingState.newNodes.length;
  return {
    problem,
    placed,
    nodeModels: createNodeModelRegistry(problem),
    podClasses,
    penaltyUsd: (cls) =>
      (cheapest.get(cls) ?? 0) * DISPLACED_POD_AS_NODES + baseline.hourlyUsd * DISPLACED_POD_AS_SHARE,
    budget: createWorkBudget(computeMaxVisits(problem, podClasses, nodes)),
    maxHourlyUsd,
    adversarialOrders: [...INITIAL_ORDERS],
    cachedResults: new Map(),
    cachedOrders: new Map(),
    maxUnplacedPods,
    baselineUnplacedPods: countUnplacedByClass(baseline),
    baselineHourlyUsd: baseline.hourlyUsd,
    baselinePodsOnLighterPools: countPodsOnLighterPools(baseline.packingState),
  };
}

/**
 * Computes how many visits the search may take, so that it ends before the work meter does: its
 * results would be lost.
 */
function computeMaxVisits(problem: Problem, podClasses: PodClassModels, nodes: number): number {
  const finalVisits = FINAL_SIMULATIONS * MAX_ORDERS * countPods(podClasses.modelByClass.keys()) * nodes;
  return Math.min(MAX_VISITS, countAffordableVisits(problem, podClasses) - finalVisits);
}

/** Counts the visits that the operations suffice for which the work meter leaves. */
export function countAffordableVisits({ work }: Problem, podClasses: PodClassModels): number {
  const { models, modelByClass, trackedRules } = podClasses;
  const operationsPerOrder = models.reduce(
    (total, model) => total + countOperationsPerNode(model) * model.cls.pods.length,
    trackedRules.length,
  );
  return (work.remaining() * countPods(modelByClass.keys())) / operationsPerOrder;
}

/**
 * The penalty for a displaced pod: the price of ten nodes for it, because it waits for the next
 * plan, plus half of the price of the plan, because the plan was to place all pods.
 */
const DISPLACED_POD_AS_NODES = 10;
const DISPLACED_POD_AS_SHARE = 0.5;

/** Counts the pods of each class that a packing leaves unplaced. */
export function countUnplacedByClass({ unplaced }: Packing): Map<PodClass, number> {
  const podsByClass = new Map<PodClass, number>();
  for (const [{ cls }, count] of unplaced) podsByClass.set(cls, (podsByClass.get(cls) ?? 0) + count);
  return podsByClass;
}
