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
const SHUFFLES = 6;

/** How often the orders that somebody might intend are gone through, each time with other luck. */
const CHANCES = 5;

/** How many orders tell how well a packing holds: all but those that only doubt it. */
export const USUAL_ORDERS = 2 * CHANCES + SHUFFLES + 1;

/**
 * How often a packing that seems to hold is doubted, by lot and by the orders that somebody might
 * intend: what happens once in fifty is seldom seen.
 */
const DOUBTING_SHUFFLES = 48;
const DOUBTING_CHANCES = 10;

/**
 * Orders in which the pods of a plan may come before kube-scheduler: node by node as planned and
 * the other way round, small ones first, and by chance, always the same. The usual ones come first.
 *
 * @returns each to be made when it is wanted: most trials end early
 */
export function bindingOrders(
  placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>,
  drafts: readonly Draft[],
): readonly (() => BindingOrder)[] {
  const planned: PodClass[] = [];
  const add = (cls: PodClass, count: number) => {
    for (let pod = 0; pod < count; pod++) planned.push(cls);
  };
  for (const counts of placed.values()) for (const [cls, count] of counts) add(cls, count);
  for (const { contents } of drafts) for (const [{ cls }, count] of contents) add(cls, count);
  const asPlanned = importantFirst(planned);
  const reversed = importantFirst(planned.toReversed());
  const again = (times: number) =>
    Array.from({ length: times }, () => [() => asPlanned, () => reversed]).flat();
  const lots = Array.from(
    { length: SHUFFLES + DOUBTING_SHUFFLES },
    (_, lot) => () => importantFirst(shuffled(planned, lot + 1)),
  );
  const smallFirst = () => importantFirst(planned.toSorted((a, b) => cpuOf(a) - cpuOf(b)));
  return [...again(CHANCES), smallFirst, ...lots, ...again(DOUBTING_CHANCES)].map(
    (podsInOrder, seed) => () => ({ pods: podsInOrder(), seed }),
  );
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
