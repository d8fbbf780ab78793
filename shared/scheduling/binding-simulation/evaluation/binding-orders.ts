import type { ExistingBin } from '../../input/existing-nodes.ts';
import { onFirstUse } from '../../input/memo.ts';
import type { Draft } from '../../packing/new-nodes/packing-state.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { Cast, Part } from '../scheduler-model/pod-class-model.ts';
import { lotOf } from '../seeded-random.ts';

/** Pods one after the other, and a number that decides between hosts with equal scores. */
export interface BindingOrder {
  readonly pods: readonly Part[];
  readonly seed: number;
}

/** An order, to be made when it is wanted: most trials end early. */
export interface OpenOrder {
  /** Whether it hangs on where pods are planned: others mean the same for every packing of them. */
  readonly isPlanned: boolean;
  make(): BindingOrder;
}

/** How often pods are drawn by lot, beside the orders that somebody might intend. */
const SHUFFLES = 80;

/** How often the orders that somebody might intend are gone through, each time with other luck. */
const CHANCES = 30;

/** The first of them: as planned, the other way round, small ones first, and three by lot. */
export const USUAL_ORDERS = [0, 1, 2, 3, 4, 5] as const;

/**
 * Orders in which the pods of a plan may come before kube-scheduler: node by node as planned and
 * the other way round, small ones first, and by chance, always the same. Lots are drawn among pods
 * sorted by class, so that one number means the same order for every packing of them.
 */
export function bindingOrders(
  placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>,
  drafts: readonly Draft[],
  { parts, partOf }: Cast,
): readonly OpenOrder[] {
  const planned: Part[] = [];
  const add = (cls: PodClass, count: number) => {
    const part = partOf.get(cls);
    for (let pod = 0; part && pod < count; pod++) planned.push(part);
  };
  for (const counts of placed.values()) for (const [cls, count] of counts) add(cls, count);
  for (const { contents } of drafts) for (const [{ cls }, count] of contents) add(cls, count);
  const asPlanned = () => importantFirst(planned);
  const reversed = () => importantFirst(planned.toReversed());
  const again = Array.from({ length: CHANCES }, () => [asPlanned, reversed]).flat();
  const byClass = onFirstUse(() => sortedByClass(planned, parts));
  const lots = Array.from(
    { length: SHUFFLES },
    (_, lot) => () => importantFirst(shuffled(byClass(), lot + 1)),
  );
  const smallFirst = () => importantFirst(byClass().toSorted((a, b) => cpuOf(a) - cpuOf(b)));
  const [once, rest] = [again.slice(0, 2), again.slice(2)];
  const free = [smallFirst, ...lots];
  return [...once, ...free, ...rest].map((podsInOrder, seed) => ({
    isPlanned: seed < once.length || seed >= once.length + free.length,
    make: () => ({ pods: podsInOrder(), seed }),
  }));
}

function sortedByClass(pods: readonly Part[], parts: readonly Part[]): Part[] {
  const counts = new Int32Array(parts.length);
  for (const { number } of pods) counts[number] = (counts[number] ?? 0) + 1;
  return parts.flatMap((part) => Array.from({ length: counts[part.number] ?? 0 }, () => part));
}

/** kube-scheduler's queue. */
const importantFirst = (pods: readonly Part[]): readonly Part[] =>
  pods.some(({ cls }) => cls.spec.priority !== pods[0]?.cls.spec.priority)
    ? pods.toSorted((a, b) => b.cls.spec.priority - a.cls.spec.priority)
    : pods;

const cpuOf = ({ cls }: Part): number => cls.spec.requests.cpu ?? 0;

/** @see Fisher and Yates */
function shuffled(pods: readonly Part[], seed: number): Part[] {
  const order = [...pods];
  const lot = lotOf(seed);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(lot() * (last + 1));
    const [a, b] = [order[last], order[other]];
    if (a && b) [order[last], order[other]] = [b, a];
  }
  return order;
}
