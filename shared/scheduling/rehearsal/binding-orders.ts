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

/**
 * Orders in which the pods of a plan may come before kube-scheduler: node by node as planned and
 * the other way round, small ones first, and by chance, always the same.
 */
export function bindingOrders(
  placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>,
  drafts: readonly Draft[],
): BindingOrder[] {
  const planned: PodClass[] = [];
  const add = (cls: PodClass, count: number) => {
    for (let pod = 0; pod < count; pod++) planned.push(cls);
  };
  for (const counts of placed.values()) for (const [cls, count] of counts) add(cls, count);
  for (const { contents } of drafts) for (const [{ cls }, count] of contents) add(cls, count);
  const smallFirst = planned.toSorted((a, b) => cpuOf(a) - cpuOf(b));
  const intended = [planned, planned.toReversed()];
  const lots = Array.from({ length: SHUFFLES }, (_, lot) => shuffled(planned, lot + 1));
  const again = Array.from({ length: CHANCES - 1 }, () => intended).flat();
  return [...intended, smallFirst, ...lots, ...again].map((pods, seed) => ({
    pods: importantFirst(pods),
    seed,
  }));
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
