import type { PodGroup } from '../assignment/pod-groups.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { scaleNodeCosts } from '../input/node-costs.ts';
import type { PackedBatch } from '../karpenter-price/adopt-karpenter-plan.ts';
import type { KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import { packByResources } from '../packing/constructions/pack-by-resources.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { type Packing, pack, withPackingState } from '../packing/packing.ts';
import { countPods, type PodClass } from '../pods/pod-classes.ts';
import { REPEATED_FROM } from './evaluation/binding-orders.ts';
import { bindsCompletely, type EvaluatedPacking, listDisplaced } from './evaluation/evaluate-packing.ts';
import { countPodsOnLighterPools } from './evaluation/pool-weights.ts';
import {
  countAffordableVisits,
  countUnplacedByClass,
  createSimulationContext,
  type SimulationContext,
} from './evaluation/simulation-context.ts';
import { countVisits, createSimulationRuns } from './evaluation/simulation-runs.ts';
import { createWorkBudget } from './evaluation/work-budget.ts';
import { computePriceCeilingUsd } from './price-ceiling.ts';
import { withOwnNodes } from './repair-moves/separate-nodes.ts';
import { withLargerTypes } from './repair-moves/targeted-moves.ts';
import { CPU_COLUMN, MEMORY_COLUMN } from './scheduler-model/resource-score.ts';
import { leaveOut } from './search/leave-displaced-pods.ts';
import { countNodes } from './search/reduce-nodes.ts';

/** By which packings are compared: reversed, as planned, and a random order. Among many pods, random orders hardly differ. */
const ORDERS = [1, 0, 3] as const;

/** In which the pods have to bind, as far as the visits suffice: the same, with other tie-breaks as well. */
const ALL_ORDERS = [...ORDERS, 4, REPEATED_FROM, REPEATED_FROM + 1, 5, 6] as const;

/**
 * Visits, of a pod to a node, that the simulations of 1,000 pods may take: the first pods of a burst must not wait for
 * a search. Larger batches have more of them: `measureSize` times as many.
 */
const VISITS = 18_000_000;

/** With fewer orders, room is bought for pods that it does not help. */
const MIN_ORDERS = 4;

/** The share of the affordable visits: packing the alternatives takes operations, too. */
const AFFORDABLE_SHARE = 0.9;

/** How the visits are shared out. */
interface Effort {
  /** Share of the visits that comparing the starts may take, and the most starts that are topped up. */
  readonly comparisonShare: number;
  readonly maxTopUps: number;
  /** Share of the remaining visits that one start may take. */
  readonly topUpShare: number;
}

const SEVERAL_STARTS: Effort = { comparisonShare: 0.35, maxTopUps: 3, topUpShare: 0.7 };

/** If the visits suffice for few orders, only the cheapest packing is topped up. */
const ONE_START: Effort = { comparisonShare: 0.25, maxTopUps: 1, topUpShare: 1 };

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

/** Each of them needed least in some of sixteen batches of 900 to 2,000 pods. */
const ALTERNATIVES: readonly Alternative[] = [
  { nodeCostFactor: 3 },
  { nodeCostFactor: 100 },
  { nodeCostFactor: 1, largeShare: 1 },
  { nodeCostFactor: 10, largeShare: 1 },
];

/** Assumed costs of nodes for displaced pods, as a multiple. */
const ADDED_NODE_COST_FACTOR = 3;

/** Room for a share of the pods costs about four times this share of the packing: displaced pods are large. */
const ROOM_COST_FACTOR = 4;

/**
 * Pods without a node weigh more than the room for them would: they wait for a second wave. Those of larger batches weigh
 * less, divided by `measureSize`: kube-scheduler takes minutes to bind such a batch anyway.
 */
const UNBOUND_COST_FACTOR = 10;

/** Pods that limits of NodePools leave out weigh less: they wait for others to end. */
const LEFT_OUT_COST_FACTOR = 2;

/** A plan whose room costs more than so many times the estimate never binds: other pods take the room. */
const MAX_ROOM_OVERRUN = 2;

/** Room that a plan may always add, as a share of its cost: one node for a few large pods is more than the estimate. */
const MIN_ROOM = 0.1;

/** The share of the pods on new nodes that may be left out. */
const MAX_LEFT_OUT_SHARE = 0.5;

interface TopUpContext extends SimulationContext {
  /** Measures how much of the CPU and memory of the batch one pod of a class requests, as a share. */
  readonly measurePod: (cls: PodClass) => number;
  /** Measures how much of the CPU and memory of the batch displaced pods request, as a share: the mean of all orders. */
  readonly measureShare: (evaluated: Pick<EvaluatedPacking, 'displaced'>) => number;
  readonly unboundCostFactor: number;
}

/** Measures the batch: 1 up to 1,000 pods, and the square root of the thousands above. */
const measureSize = (classes: readonly PodClass[]): number => Math.max(1, Math.sqrt(countPods(classes) / 1_000));

/**
 * Adds room to the plan of a large batch until its pods find a node in each of a few binding orders. The nodes of
 * displaced pods fill last if that helps; pods that are displaced nevertheless get nodes of their own, or larger
 * ones. Small batches are searched for cheaper changes, which takes too many simulations here.
 *
 * @param batch - the cheapest packing, with the node costs by which packings are compared
 * @returns the packing that costs least of those that bind. If the visits do not suffice for any, the one that leaves
 *   fewest pods without a node for its price. The batch itself if it is too large to be simulated
 */
export function topUpPlan(
  batch: PackedBatch,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
): PackedBatch {
  const { assigned, packing } = batch;
  const size = measureSize(classes);
  const maxVisits = VISITS * size;
  const orders = maxVisits / countVisits(classes, assigned.problem.existingNodes.length + countNodes(packing));
  if (orders < MIN_ORDERS) return batch;
  const maxHourlyUsd = computePriceCeilingUsd(assigned, packing, classes, karpenterRuns);
  const simulation = createSimulationContext(assigned, packing, classes, maxHourlyUsd, computeMaxUnplacedPods(packing));
  const { problem, podClasses } = simulation;
  const budget = createWorkBudget(Math.min(maxVisits, countAffordableVisits(problem, podClasses) * AFFORDABLE_SHARE));
  const measurePod = createPodMeasure(simulation);
  const context = {
    ...{ ...simulation, budget, measurePod, measureShare: createDisplacedShare(measurePod) },
    unboundCostFactor: UNBOUND_COST_FACTOR / size,
  };
  const effort = orders < 2 * ALL_ORDERS.length ? ONE_START : SEVERAL_STARTS;
  const others = effort.maxTopUps > 1 ? packAlternatives(batch, context) : [];
  const candidates = [packing, ...others].toSorted((a, b) => a.costUsd - b.costUsd);
  const starts = budget.withShare(effort.comparisonShare, () => compareStarts(candidates, context));
  const best = topUpStarts(context, starts.slice(0, effort.maxTopUps), assigned.podGroups, effort.topUpShare);
  return best ? { assigned, packing: best.packing } : batch;
}

/** Tops up the starts until one binds and no cheaper one is left: first with scarce nodes that fill last, then without. */
function topUpStarts(
  context: TopUpContext,
  starts: readonly EvaluatedPacking[],
  podGroups: readonly PodGroup[],
  share: number,
): ToppedUp | undefined {
  let best: ToppedUp | undefined;
  for (const steersScarce of [true, false]) {
    for (const start of starts) {
      if (best?.binds && (!steersScarce || start.packing.costUsd >= best.costUsd)) return best;
      if (best && !suffices(context, start.packing, ORDERS.length)) break;
      const next = context.budget.withShare(share, () => addRoom(context, start, podGroups, steersScarce));
      if (!best || isBetter(next, best)) best = next;
    }
  }
  return best;
}

/** If limits of NodePools leave pods out anyway, so many of the others may be left out as well to bind the rest. */
function computeMaxUnplacedPods({ unplacedPods, packingState }: Packing): number {
  if (unplacedPods === 0) return 0;
  const counts = packingState.newNodes.flatMap(({ podCounts }) => [...podCounts.values()]);
  return unplacedPods + counts.reduce((sum, pods) => sum + pods, 0) * MAX_LEFT_OUT_SHARE;
}

/** Simulates the candidates, the cheapest first, and lists those that were simulated, the most promising first. */
function compareStarts(candidates: readonly Packing[], context: TopUpContext): EvaluatedPacking[] {
  // The cost that is expected once all pods bind.
  const estimateUsd = (start: EvaluatedPacking): number =>
    start.packing.costUsd * (1 + ROOM_COST_FACTOR * context.measureShare(start));
  let leastUsd = Infinity;
  const visits = context.budget.remaining() / candidates.length;
  const starts = candidates.flatMap((packing) => {
    const orders = ORDERS.slice(0, Math.max(1, Math.floor(visits / countVisitsOf(context, packing))));
    if (packing.costUsd >= leastUsd || !suffices(context, packing, orders.length)) return [];
    const evaluated = simulate(context, packing, orders);
    leastUsd = Math.min(leastUsd, estimateUsd(evaluated));
    return [evaluated];
  });
  return starts.toSorted((a, b) => estimateUsd(a) - estimateUsd(b));
}

function packAlternatives({ assigned, packing: baseline }: PackedBatch, context: TopUpContext): Packing[] {
  const { problem, podGroups } = assigned;
  const { measurePod, maxHourlyUsd, baselinePodsOnLighterPools } = context;
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
    return letFillLast(packing, (newNode) => largeNodes.includes(newNode), context);
  }).filter(
    ({ unplacedPods, hourlyUsd, packingState }) =>
      unplacedPods <= baseline.unplacedPods &&
      hourlyUsd <= maxHourlyUsd &&
      countPodsOnLighterPools(packingState) <= baselinePodsOnLighterPools,
  );
}

/** True if the remaining visits suffice for so many simulations of the packing. */
const suffices = (context: SimulationContext, packing: Packing, simulations: number): boolean =>
  context.budget.remaining() >= simulations * countVisitsOf(context, packing);

const countVisitsOf = ({ problem, podClasses }: SimulationContext, packing: Packing): number =>
  countVisits([...podClasses.modelByClass.keys()], problem.existingNodes.length + countNodes(packing));

function simulate(context: SimulationContext, packing: Packing, orders: readonly number[]): EvaluatedPacking {
  const runs = createSimulationRuns(context, packing);
  for (const order of orders) runs.run(order);
  return { ...runs.result(), orders: 0 };
}

interface ToppedUp {
  readonly packing: Packing;
  /** True if all pods bind in every order. */
  readonly binds: boolean;
  /** Its cost with that of pods that find no node, in USD per hour. */
  readonly costUsd: number;
}

const isBetter = (a: ToppedUp, b: ToppedUp): boolean => (a.binds === b.binds ? a.costUsd < b.costUsd : a.binds);

/**
 * Adds room for displaced pods, order by order, until all orders bind or the visits are used up.
 *
 * @param steersScarce - true if the nodes that topology rules leave to displaced pods fill last
 */
function addRoom(
  context: TopUpContext,
  start: EvaluatedPacking,
  podGroups: readonly PodGroup[],
  steersScarce: boolean,
): ToppedUp {
  const { measureShare } = context;
  const lastClasses = chooseFillingLast(context, start);
  let packing = letFillLast(start.packing, hostsAny(lastClasses), context);
  let boundOrders = 0;
  const shares = [measureShare(start)];
  let startShare = shares[0] ?? 0;
  for (let round = 0; boundOrders < ALL_ORDERS.length && suffices(context, packing, 1); round++) {
    const evaluated = simulate(context, packing, [ALL_ORDERS[round % ALL_ORDERS.length] ?? 0]);
    const newShare = measureShare(evaluated);
    shares.push(newShare);
    // Steering is free.
    if (packing.costUsd === start.packing.costUsd) startShare = Math.max(startShare, newShare);
    if (bindsCompletely(evaluated)) {
      boundOrders += 1;
      continue;
    }
    boundOrders = 0;
    for (const cls of listConfined(evaluated, context)) lastClasses.add(cls);
    const scarce = steersScarce ? listScarce(evaluated) : [];
    const hostsLast = hostsAny(lastClasses);
    // Orders that were not compared may displace more pods than those that were.
    const estimate = mean(shares.slice(0, 1 + ORDERS.length));
    const next = findChange(context, packing, evaluated, podGroups, {
      fillsLast: (newNode) => hostsLast(newNode) || scarce.includes(newNode),
      maxUsd: start.packing.costUsd * (1 + Math.max(MIN_ROOM, ROOM_COST_FACTOR * MAX_ROOM_OVERRUN * estimate)),
    });
    if (!next) break;
    packing = letFillLast(next, hostsLast, context);
  }
  const binds = boundOrders === ALL_ORDERS.length;
  const toppedUp = { packing, binds, costUsd: weigh(packing, mean(shares.slice(-ORDERS.length)), context) };
  const unchanged = { packing: start.packing, binds: false, costUsd: weigh(start.packing, startShare, context) };
  return isBetter(toppedUp, unchanged) ? toppedUp : unchanged;
}

/** Finds the packing to simulate next: with more nodes that fill last, else with more room, else with fewer pods. */
function findChange(
  context: SimulationContext,
  packing: Packing,
  evaluated: EvaluatedPacking,
  podGroups: readonly PodGroup[],
  { fillsLast, maxUsd }: { readonly fillsLast: (newNode: NewNode) => boolean; readonly maxUsd: number },
): Packing | undefined {
  // Other pods may leave the room free: more of it is bought only if they do not.
  const steered = letFillLast(packing, fillsLast, context);
  const larger = steered === packing ? addRoomFor(evaluated, context, podGroups) : steered;
  if (larger && larger.hourlyUsd <= context.maxHourlyUsd && larger.costUsd <= maxUsd) return larger;
  const smaller = leaveOut(packing, listDisplaced(evaluated));
  return smaller === packing || smaller.unplacedPods > context.maxUnplacedPods ? undefined : smaller;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one / numbers.length, 0);

/** Weighs the pods that find no node, and those that are left out, as shares of the batch. */
const weigh = (packing: Packing, unboundShare: number, context: TopUpContext): number =>
  packing.costUsd *
  (1 + context.unboundCostFactor * unboundShare + LEFT_OUT_COST_FACTOR * measureLeftOut(packing, context));

/** Measures the pods that the packing leaves out and the cheapest packing does not, as a share of the batch. */
function measureLeftOut(packing: Packing, { measurePod, baselineUnplacedPods }: TopUpContext): number {
  let share = 0;
  for (const [cls, pods] of countUnplacedByClass(packing))
    share += (pods - (baselineUnplacedPods.get(cls) ?? 0)) * measurePod(cls);
  return Math.max(0, share);
}

/** Lists the classes of the displaced pods that at most half of the nodes may take, as their labels and taints are. */
const listConfined = (evaluated: EvaluatedPacking, { podClasses: { modelByClass } }: SimulationContext): PodClass[] =>
  listDisplaced(evaluated).flatMap(({ cls }) => {
    const { nodes } = evaluated;
    const eligible = nodes.filter(({ kind }) => modelByClass.get(cls)?.evaluateNode(kind).isEligible);
    return eligible.length <= nodes.length / 2 ? [cls] : [];
  });

/** Lists the nodes that topology rules leave to displaced pods, if these are at most half of all: those of one zone. */
const listScarce = (evaluated: EvaluatedPacking): NewNode[] =>
  listDisplaced(evaluated).flatMap(({ nodes: allowed }) => {
    const { nodes } = evaluated;
    return allowed.length <= nodes.length / 2 ? allowed.flatMap((number) => nodes[number]?.newNode ?? []) : [];
  });

const hostsAny =
  (classes: ReadonlySet<PodClass>) =>
  ({ podCounts }: NewNode): boolean =>
    [...podCounts.keys()].some(({ cls }) => classes.has(cls));

/**
 * Chooses the classes whose nodes fill last: those of displaced pods, if they are on at most half of the nodes, and if
 * that leaves fewer pods without a node.
 */
function chooseFillingLast(context: TopUpContext, start: EvaluatedPacking): Set<PodClass> {
  const displaced = new Set(listDisplaced(start).map(({ cls }) => cls));
  const packing = letFillLast(start.packing, hostsAny(displaced), context);
  const { newNodes } = packing.packingState;
  const isMost = newNodes.filter(({ fillsLast }) => fillsLast).length > newNodes.length / 2;
  if (packing === start.packing || isMost || !suffices(context, packing, 2 * ORDERS.length)) return new Set();
  const { measureShare } = context;
  return measureShare(simulate(context, packing, ORDERS)) < measureShare(start) ? displaced : new Set();
}

function createDisplacedShare(measurePod: TopUpContext['measurePod']): TopUpContext['measureShare'] {
  return (evaluated) =>
    listDisplaced(evaluated).reduce((sum, { cls, pods }) => sum + pods * measurePod(cls), 0) /
    Math.max(1, evaluated.displaced.size);
}

function createPodMeasure({ podClasses: { models, modelByClass } }: SimulationContext): TopUpContext['measurePod'] {
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
    listDisplaced(evaluated),
    podGroups,
    1,
    scaleNodeCosts(context.problem.nodeCosts, ADDED_NODE_COST_FACTOR),
  ) ?? withLargerTypes(evaluated, 1, context);

/**
 * Lets some nodes fill last. kube-scheduler weighs their taint more than the preferences of pods, so that the pods that
 * prefer such a node must find another one that they prefer as much.
 *
 * @returns the packing itself if that changes no node
 */
function letFillLast(
  packing: Packing,
  isChosen: (newNode: NewNode) => boolean,
  { problem, nodeModels, podClasses: { models } }: SimulationContext,
): Packing {
  const { packingState } = packing;
  if (problem.snapshot.settings?.steerPods === false) return packing;
  const nodes = packingState.newNodes.map((newNode) => {
    const [kind] = nodeModels.eachKind([newNode]);
    return { newNode, kind, isSteered: !newNode.fillsLast && isChosen(newNode) };
  });
  for (const { cls, evaluateNode } of models) {
    if (cls.spec.preferredNodeTerms.length === 0) continue;
    const weigh = ({ kind }: (typeof nodes)[number]): number => {
      const evaluation = kind && evaluateNode(kind);
      return evaluation?.isEligible ? evaluation.preferredWeight : 0;
    };
    const others = nodes.filter(({ newNode, isSteered }) => !newNode.fillsLast && !isSteered);
    const maxWeight = Math.max(0, ...others.map(weigh));
    for (const node of nodes) node.isSteered &&= weigh(node) <= maxWeight;
  }
  if (!nodes.some(({ isSteered }) => isSteered)) return packing;
  const newNodes = nodes.map(({ newNode, isSteered }) => (isSteered ? { ...newNode, fillsLast: true } : newNode));
  return withPackingState(packing, { ...packingState, newNodes });
}
