import type { AssignedBatch } from '../assign-batch.ts';
import { cheapestNodeUsd } from '../packing/node-offers.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import { topologyOf } from '../topology/topology.ts';
import { bindingOrders, USUAL_ORDERS } from './binding-orders.ts';
import { castOf, type Part } from './cast.ts';
import { type Host, type HostRegister, hostRegister } from './hosts.ts';
import { type Displaced, rehearsalOn } from './rehearsal.ts';
import { setStage } from './stage.ts';
import { podsTooLight } from './weights-kept.ts';

/** Where packings of one batch are rehearsed. */
export interface Theatre {
  readonly problem: Problem;
  readonly placed: AssignedBatch['placed'];
  readonly register: HostRegister;
  readonly cast: readonly Part[];
  readonly penaltyUsd: (cls: PodClass) => number;
  readonly effort: Effort;
  /** By class, where it comes among pods that are sorted by class. */
  readonly ranks: ReadonlyMap<PodClass, number>;
  /** Numbers of the orders that tell how well a packing holds; those that refute one join them. */
  readonly telling: number[];
  /** How many pods may be left without a promised place. */
  readonly mostLeft: number;
  /** Pods that the cheapest packing leaves. */
  readonly plainLeft: ReadonlyMap<PodClass, number>;
  /** Of the cheapest packing, in USD per hour. */
  readonly plainUsd: number;
  /** Pods that the cheapest packing already has on nodes of too light a pool. */
  readonly plainTooLight: number;
}

/** What all rehearsals of one plan may take together: looks at a host, by a pod or by a class. */
interface Effort {
  left: number;
}

const MOST_EFFORT = 24_000_000;

/** How often each class looks at each host before the first order, and before every order. */
const LOOKS_AT_FIRST = 10;
const LOOKS_BEFORE_EACH = 1;

export const isExhausted = ({ effort }: Theatre): boolean => effort.left <= 0;

/** Does a part of the work with a share of the effort that is left; what it leaves over is kept. */
export function withShare<T>({ effort }: Theatre, share: number, work: () => T): T {
  const kept = effort.left * (1 - share);
  effort.left -= kept;
  const result = work();
  effort.left += kept;
  return result;
}

/** A packing with what its rehearsals came to. */
export interface Trial {
  readonly packing: Packing;
  readonly hosts: readonly Host[];
  /** By order of the pods. */
  readonly displaced: readonly (readonly Displaced[])[];
  /** Of the packing, with what pods cost that are displaced, or left out for the others' sake. */
  readonly costUsd: number;
  /** How many of the telling orders it was tried in. */
  readonly orders: number;
}

export const isClean = ({ displaced }: Pick<Trial, 'displaced'>): boolean =>
  displaced.every(({ length }) => length === 0);

/** @param mostLeft - how many pods may be left out for the others' sake, with those left anyway */
export function theatreOf(
  { problem, placed, units, moving }: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  mostLeft = plain.leftPods,
): Theatre {
  const topology = topologyOf(problem, classes, moving);
  const cheapest = new Map<PodClass, number>();
  for (const unit of units) {
    const usd = cheapestNodeUsd(unit, problem);
    cheapest.set(unit.cls, Math.min(usd, cheapest.get(unit.cls) ?? Infinity));
  }
  return {
    problem,
    placed,
    register: hostRegister(problem),
    cast: castOf(problem, classes, topology),
    penaltyUsd: (cls) => (cheapest.get(cls) ?? 0) * AS_NODES + plain.hourlyUsd * AS_SHARE,
    effort: { left: MOST_EFFORT },
    ranks: new Map(classes.map((cls, rank) => [cls, rank])),
    telling: [...USUAL_ORDERS],
    mostLeft,
    plainLeft: leftByClass(plain),
    plainUsd: plain.hourlyUsd,
    plainTooLight: podsTooLight(plain.drafting),
  };
}

/**
 * A displaced pod gets a node of its own by the next plan, and has waited for it: so it counts as
 * several such nodes, and as a share of the whole plan, whose owner wanted all of its pods.
 */
const AS_NODES = 10;
const AS_SHARE = 0.5;

/** Of that, what a pod without a promise counts: about as one displaced in one of the usual orders. */
const LEFT_SHARE = 0.15;

/**
 * Rehearses a packing in the orders that tell most, and once it holds in these, in all others: the
 * first that refutes it is asked of every packing from then on.
 *
 * @param like - a trial whose hardest orders are probably hard for this packing, too
 * @returns undefined as soon as it is clear that it costs more than `mostUsd`, or where it passes
 *   over heavier pools
 */
export function tryOut(
  theatre: Theatre,
  packing: Packing,
  mostUsd = Infinity,
  like?: Trial,
): Trial | undefined {
  if (podsTooLight(packing.drafting) > theatre.plainTooLight) return undefined;
  const { telling } = theatre;
  const performance = performanceOf(theatre, packing);
  for (const number of hardestFirst(telling, like)) {
    performance.runIn(number);
    if (performance.costUsd() > mostUsd) return undefined;
  }
  const doubt = performance.holds() ? firstDoubt(performance, telling) : undefined;
  if (doubt !== undefined) telling.push(doubt);
  const trial = performance.result(telling.length);
  return trial.costUsd > mostUsd ? undefined : trial;
}

/** The trial with what it comes to in the orders that joined since. */
export function upToDate(theatre: Theatre, trial: Trial): Trial {
  const { telling } = theatre;
  if (trial.orders === telling.length) return trial;
  const performance = performanceOf(theatre, trial.packing, trial);
  for (const number of telling.slice(trial.orders)) performance.runIn(number);
  return performance.result(telling.length);
}

/** The rehearsals of one packing. */
interface Performance {
  readonly orders: number;
  runIn(order: number): void;
  costUsd(): number;
  holds(): boolean;
  result(orders: number): Trial;
}

function performanceOf(theatre: Theatre, packing: Packing, before?: Trial): Performance {
  const { placed, register, cast, penaltyUsd, effort, ranks } = theatre;
  const { drafts } = packing.drafting;
  const hosts = before?.hosts ?? register.hostsOf(drafts);
  const rehearse = rehearsalOn(setStage(cast, hosts));
  const orders = bindingOrders(placed, drafts, ranks);
  effort.left -= LOOKS_AT_FIRST * cast.length * hosts.length;
  const displaced = before ? [...before.displaced] : orders.map((): readonly Displaced[] => []);
  let costUsd = before?.costUsd ?? packing.costUsd + leftUsd(theatre, packing);
  return {
    orders: orders.length,
    runIn: (number) => {
      const order = orders[number]?.();
      if (!order) return;
      const left = rehearse(order);
      effort.left -= (order.pods.length + LOOKS_BEFORE_EACH * cast.length) * hosts.length;
      for (const { cls, pods } of left) costUsd += (pods * penaltyUsd(cls)) / USUAL_ORDERS.length;
      displaced[number] = left;
    },
    costUsd: () => costUsd,
    holds: () => isClean({ displaced }),
    result: (asked) => ({ packing, hosts, displaced, costUsd, orders: asked }),
  };
}

/** The first of the other orders that displaces pods. */
function firstDoubt(performance: Performance, telling: readonly number[]): number | undefined {
  const asked = new Set(telling);
  for (let number = 0; number < performance.orders; number++) {
    if (asked.has(number)) continue;
    performance.runIn(number);
    if (!performance.holds()) return number;
  }
  return undefined;
}

function hardestFirst(orders: readonly number[], like: Trial | undefined): readonly number[] {
  if (!like) return [...orders];
  const pods = like.displaced.map((left) => left.reduce((total, one) => total + one.pods, 0));
  return orders.toSorted((a, b) => (pods[b] ?? 0) - (pods[a] ?? 0));
}

function leftUsd({ plainLeft, penaltyUsd }: Theatre, packing: Packing): number {
  let usd = 0;
  for (const [cls, pods] of leftByClass(packing)) {
    const more = pods - (plainLeft.get(cls) ?? 0);
    usd += Math.max(0, more) * penaltyUsd(cls) * LEFT_SHARE;
  }
  return usd;
}

function leftByClass({ left }: Packing): Map<PodClass, number> {
  const pods = new Map<PodClass, number>();
  for (const [{ cls }, count] of left) pods.set(cls, (pods.get(cls) ?? 0) + count);
  return pods;
}
