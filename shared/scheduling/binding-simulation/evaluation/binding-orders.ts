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

/**
 * A binding order that is built when it is first simulated. Most evaluations end before they reach
 * it.
 */
export interface LazyBindingOrder {
  /**
   * True if the order depends on where the plan places pods. Other orders are equal for all
   * packings.
   */
  readonly dependsOnPlan: boolean;
  make(): BindingOrder;
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
): readonly LazyBindingOrder[] {
  const planned = onFirstUse(() => listPlannedPods(placed, newNodes, modelByClass));
  const asPlanned = () => sortByPriority(planned());
  const reversed = () => sortByPriority(planned().toReversed());
  const repeated = Array.from({ length: REPETITIONS }, () => [asPlanned, reversed]).flat();
  const byClass = onFirstUse(() => sortByClass(planned(), models));
  const shuffles = Array.from(
    { length: SHUFFLES },
    (_, index) => () => sortByPriority(shuffle(byClass(), index + 1)),
  );
  const smallestFirst = () =>
    sortByPriority(byClass().toSorted((a, b) => requestedCpu(a) - requestedCpu(b)));
  const [firstRepetition, laterRepetitions] = [repeated.slice(0, 2), repeated.slice(2)];
  const planIndependent = [smallestFirst, ...shuffles];
  return [...firstRepetition, ...planIndependent, ...laterRepetitions].map((podsInOrder, seed) => ({
    dependsOnPlan:
      seed < firstRepetition.length || seed >= firstRepetition.length + planIndependent.length,
    make: () => ({ pods: podsInOrder(), seed }),
  }));
}

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

function sortByClass(
  pods: readonly PodClassModel[],
  models: readonly PodClassModel[],
): PodClassModel[] {
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
