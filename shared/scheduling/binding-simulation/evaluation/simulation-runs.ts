import { getOrCreate } from '../../../model/memo.ts';
import { countNodesToFind } from '../../../model/nodes/node-search.ts';
import type { Packing } from '../../packing/packing.ts';
import { countPods, type PodClass } from '../../pods/pod-classes.ts';
import type { NodeModel } from '../scheduler-model/node-models.ts';
import { countOperationsPerNode } from '../scheduler-model/pod-class-models.ts';
import { createBindingSimulator, type DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { buildSimulatedCluster } from '../scheduler-model/simulated-cluster.ts';
import { type BindingOrder, INITIAL_ORDERS, listBindingOrders } from './binding-orders.ts';
import { countUnplacedByClass, type SimulationContext } from './simulation-context.ts';

/** The results of simulating a packing in several orders. */
export interface SimulationResult {
  readonly packing: Packing;
  readonly nodes: readonly NodeModel[];
  /** Displaced pods by index of the order. */
  readonly displaced: ReadonlyMap<number, readonly DisplacedPods[]>;
  /**
   * Price of the packing plus penalties for displaced pods and for pods left out, in USD per hour.
   */
  readonly costUsd: number;
}

/** Simulates one packing in the orders that the caller chooses. */
export interface SimulationRuns {
  /** Number of orders. */
  readonly orders: number;
  /**
   * True if a packing with the same nodes was simulated in this order before: then a run costs no
   * visits.
   */
  isCached(order: number): boolean;
  /** Returns the pods that the order displaces. */
  run(order: number): readonly DisplacedPods[];
  costUsd(): number;
  result(): SimulationResult;
}

/** Visits by each class to each node: once before the first order, and before each order. */
const SETUP_VISITS = 10;
const RESET_VISITS = 1;

/** Counts the visits of the first order on so many nodes. */
export const countVisits = (classes: readonly PodClass[], nodes: number): number =>
  countPods(classes) * countNodesToFind(nodes) + (SETUP_VISITS + RESET_VISITS) * classes.length * nodes;

/**
 * Penalty for a pod that is left out, as a share of the penalty for a displaced pod. It roughly
 * equals the penalty for a pod that one order displaces.
 */
const UNPLACED_POD_SHARE = 0.15;

/**
 * @param previous - results in some orders, which are kept
 */
export function createSimulationRuns(
  context: SimulationContext,
  packing: Packing,
  previous: SimulationResult = createEmptyResult(context, packing),
): SimulationRuns {
  const { placed, podClasses, budget } = context;
  const { work } = context.problem;
  const { nodes } = previous;
  const orders = listBindingOrders(placed, packing.packingState.newNodes, podClasses);
  const cached = findCached(context, packing, nodes);
  const makeOrder = (number: number): BindingOrder =>
    orders.dependsOnPlan(number) ? orders.make(number) : getOrCreate(cached.orders, number, () => orders.make(number));
  const displaced = new Map(previous.displaced);
  let { costUsd } = previous;
  let simulate: ReturnType<typeof createBindingSimulator> | undefined;

  function bind(order: BindingOrder): readonly DisplacedPods[] {
    if (!simulate) {
      budget.spend(SETUP_VISITS * podClasses.models.length * nodes.length);
      work.spend(podClasses.trackedRules.length * nodes.length);
      simulate = createBindingSimulator(buildSimulatedCluster(podClasses, nodes));
    }
    const compared = countNodesToFind(nodes.length);
    budget.spend(order.pods.length * compared + RESET_VISITS * podClasses.models.length * nodes.length);
    const operationsPerNode = order.pods.reduce(
      (total, model) => total + countOperationsPerNode(model),
      podClasses.trackedRules.length,
    );
    work.spend(operationsPerNode * compared);
    return simulate(order);
  }

  return {
    orders: orders.count,
    isCached: (number) => cached.results.has(number),
    run: (number) => {
      const unbound = cached.results.get(number) ?? bind(makeOrder(number));
      if (!orders.dependsOnPlan(number)) cached.results.set(number, unbound);
      costUsd += computePenaltyUsd(context, unbound);
      displaced.set(number, unbound);
      return unbound;
    },
    costUsd: () => costUsd,
    result: () => ({ packing, nodes, displaced, costUsd }),
  };
}

/** The penalty for the pods that one order displaces, in USD per hour. */
export const computePenaltyUsd = (
  { penaltyUsd }: Pick<SimulationContext, 'penaltyUsd'>,
  displaced: readonly DisplacedPods[],
): number => displaced.reduce((usd, { cls, pods }) => usd + pods * penaltyUsd(cls), 0) / INITIAL_ORDERS.length;

const createEmptyResult = (context: SimulationContext, packing: Packing): SimulationResult => ({
  packing,
  nodes: context.nodeModels.listNodes(packing.packingState.newNodes),
  displaced: new Map(),
  costUsd: packing.costUsd + computeUnplacedPodsUsd(context, packing),
});

interface Cached {
  readonly results: Map<number, readonly DisplacedPods[]>;
  readonly orders: Map<number, BindingOrder>;
}

/** Packings with the same nodes share results; packings that leave the same pods unplaced share orders. */
function findCached(
  { cachedResults, cachedOrders, podClasses: { modelByClass } }: SimulationContext,
  packing: Packing,
  nodes: readonly NodeModel[],
): Cached {
  const unplaced = [...countUnplacedByClass(packing)]
    .map(([cls, pods]) => [modelByClass.get(cls)?.number, pods].join(':'))
    .join();
  const launched = nodes.flatMap(({ newNode, kind }) => (newNode ? kind.number : []));
  const key = [...launched, unplaced].join();
  return {
    results: getOrCreate(cachedResults, key, () => new Map()),
    orders: getOrCreate(cachedOrders, unplaced, () => new Map()),
  };
}

function computeUnplacedPodsUsd({ baselineUnplacedPods, penaltyUsd }: SimulationContext, packing: Packing): number {
  let usd = 0;
  for (const [cls, pods] of countUnplacedByClass(packing)) {
    const additional = pods - (baselineUnplacedPods.get(cls) ?? 0);
    usd += Math.max(0, additional) * penaltyUsd(cls) * UNPLACED_POD_SHARE;
  }
  return usd;
}
