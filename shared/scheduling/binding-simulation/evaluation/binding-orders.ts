import { onFirstUse } from '../../../model/memo.ts';
import { createSeededRandom } from '../../../model/random.ts';
import type { ExistingNode } from '../../input/existing-nodes.ts';
import type { NewNode } from '../../packing/new-nodes/new-node.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { PodClassModel, PodClassModels } from '../scheduler-model/pod-class-models.ts';

/** A sequence of pods, and a seed for the tie-breaks between nodes with equal scores. */
export interface BindingOrder {
  readonly pods: readonly PodClassModel[];
  readonly seed: number;
}

/** The orders of a plan, each built when it is simulated: most evaluations end after a few. */
export interface BindingOrders {
  readonly count: number;
  /**
   * True if the order depends on where the plan places pods. Other orders are equal for all
   * packings.
   */
  dependsOnPlan(number: number): boolean;
  make(number: number): BindingOrder;
}

/** Number of random orders. */
const SHUFFLES = 80;

/** Number of simulations of the planned and the reversed order, each with other tie-breaks. */
const REPETITIONS = 30;

/** Number of orders: the repetitions, smallest first, and the random ones. */
export const MAX_ORDERS = 2 * REPETITIONS + 1 + SHUFFLES;

/**
 * The orders in which every packing is simulated: as planned, reversed, smallest first, and three
 * random orders.
 */
export const INITIAL_ORDERS = [0, 1, 2, 3, 4, 5] as const;

/**
 * Lists orders in which the pods of a plan may reach kube-scheduler: node by node as planned,
 * reversed, smallest first, and random orders with fixed seeds. A random order shuffles pods that
 * are sorted by class, so that its number means the same order for every packing.
 */
export function listBindingOrders(
  placed: ReadonlyMap<ExistingNode, ReadonlyMap<PodClass, number>>,
  newNodes: readonly NewNode[],
  { models, modelByClass }: PodClassModels,
): BindingOrders {
  const planned = onFirstUse(() => listPlannedPods(placed, newNodes, modelByClass));
  const byClass = onFirstUse(() => sortByClass(planned(), models));
  const smallestFirst = () => byClass().toSorted((a, b) => requestedCpu(a) - requestedCpu(b));
  const dependsOnPlan = (number: number) => number < SMALLEST_FIRST || number >= REPEATED_FROM;
  const listPods = (number: number): readonly PodClassModel[] => {
    if (number === SMALLEST_FIRST) return smallestFirst();
    if (!dependsOnPlan(number)) return shuffle(byClass(), number - SMALLEST_FIRST);
    const repetition = number < SMALLEST_FIRST ? number : number - REPEATED_FROM;
    return repetition % 2 === 0 ? planned() : planned().toReversed();
  };
  return {
    count: MAX_ORDERS,
    dependsOnPlan,
    make: (number) => ({ pods: sortByPriority(listPods(number)), seed: number }),
  };
}

/** The planned and the reversed order come first, and are repeated after the random orders. */
const SMALLEST_FIRST = 2;
export const REPEATED_FROM = SMALLEST_FIRST + 1 + SHUFFLES;

/** Lists the pods node by node. */
function listPlannedPods(
  placed: ReadonlyMap<ExistingNode, ReadonlyMap<PodClass, number>>,
  newNodes: readonly NewNode[],
  modelByClass: PodClassModels['modelByClass'],
): PodClassModel[] {
  const planned: PodClassModel[] = [];
  const add = (cls: PodClass, count: number) => {
    const model = modelByClass.get(cls);
    for (let pod = 0; model && pod < count; pod++) planned.push(model);
  };
  for (const counts of placed.values()) for (const [cls, count] of counts) add(cls, count);
  for (const { podCounts } of newNodes) for (const [{ cls }, count] of podCounts) add(cls, count);
  return planned;
}

function sortByClass(pods: readonly PodClassModel[], models: readonly PodClassModel[]): PodClassModel[] {
  const counts = new Int32Array(models.length);
  for (const { number } of pods) counts[number] = (counts[number] ?? 0) + 1;
  return models.flatMap((model) => Array.from({ length: counts[model.number] ?? 0 }, () => model));
}

/** The order of kube-scheduler's queue: higher priority first. */
const sortByPriority = (pods: readonly PodClassModel[]): readonly PodClassModel[] =>
  pods.some(({ cls }) => cls.spec.priority !== pods[0]?.cls.spec.priority)
    ? pods.toSorted((a, b) => b.cls.spec.priority - a.cls.spec.priority)
    : pods;

const requestedCpu = ({ cls }: PodClassModel): number => cls.spec.requests.cpu ?? 0;

/** Fisher-Yates shuffle with a seed. */
function shuffle(pods: readonly PodClassModel[], seed: number): PodClassModel[] {
  const order = [...pods];
  const random = createSeededRandom(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [order[last], order[other]];
    if (a && b) [order[last], order[other]] = [b, a];
  }
  return order;
}
