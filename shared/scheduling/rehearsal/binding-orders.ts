import type { ExistingBin } from '../nodes/existing-bins.ts';
import type { Draft } from '../packing/drafts.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { lotOf } from './lots.ts';

/** Pods one after the other, and a number that decides between hosts with equal scores. */
export interface BindingOrder {
  readonly pods: readonly PodClass[];
  readonly seed: number;
}

/** How often pods are drawn by lot, beside the orders that somebody might intend. */
const SHUFFLES = 54;

/** How often the orders that somebody might intend are gone through, each time with other luck. */
const CHANCES = 15;

/** The first of them: as planned, the other way round, small ones first, and three by lot. */
export const USUAL_ORDERS = [0, 1, 2, 3, 4, 5] as const;

/**
 * Orders in which the pods of a plan may come before kube-scheduler: node by node as planned and
 * the other way round, small ones first, and by chance, always the same. Lots are drawn among pods
 * sorted by class, so that one number means the same order for every packing of them.
 *
 * @param ranks - the place of each class among the others, for as long as packings are compared
 * @returns each to be made when it is wanted: most trials end early
 */
export function bindingOrders(
  placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>,
  drafts: readonly Draft[],
  ranks: ReadonlyMap<PodClass, number>,
): readonly (() => BindingOrder)[] {
  const planned: PodClass[] = [];
  const add = (cls: PodClass, count: number) => {
    for (let pod = 0; pod < count; pod++) planned.push(cls);
  };
  for (const counts of placed.values()) for (const [cls, count] of counts) add(cls, count);
  for (const { contents } of drafts) for (const [{ cls }, count] of contents) add(cls, count);
  const asPlanned = importantFirst(planned);
  const reversed = importantFirst(planned.toReversed());
  const again = Array.from({ length: CHANCES }, () => [() => asPlanned, () => reversed]).flat();
  const byClass = remembered(() =>
    planned.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0)),
  );
  const lots = Array.from(
    { length: SHUFFLES },
    (_, lot) => () => importantFirst(shuffled(byClass(), lot + 1)),
  );
  const smallFirst = () => importantFirst(planned.toSorted((a, b) => cpuOf(a) - cpuOf(b)));
  const [once, rest] = [again.slice(0, 2), again.slice(2)];
  return [...once, smallFirst, ...lots, ...rest].map((podsInOrder, seed) => () => ({
    pods: podsInOrder(),
    seed,
  }));
}

function remembered<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** kube-scheduler's queue. */
const importantFirst = (pods: readonly PodClass[]): readonly PodClass[] =>
  pods.some(({ spec }) => spec.priority !== pods[0]?.spec.priority)
    ? pods.toSorted((a, b) => b.spec.priority - a.spec.priority)
    : pods;

const cpuOf = ({ spec }: PodClass): number => spec.requests.cpu ?? 0;

/** @see Fisher and Yates */
function shuffled(pods: readonly PodClass[], seed: number): PodClass[] {
  const order = [...pods];
  const lot = lotOf(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(lot() * (last + 1));
    const [a, b] = [order[last], order[other]];
    if (a && b) [order[last], order[other]] = [b, a];
  }
  return order;
}
