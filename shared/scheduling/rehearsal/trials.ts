import { cheapestNodeUsd } from '../packing/node-offers.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import type { AssignedBatch } from '../solve.ts';
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
  /** Of the cheapest packing, in USD per hour. */
  readonly plainUsd: number;
  /** Pods that the cheapest packing already has on nodes of too light a pool. */
  readonly plainTooLight: number;
}

/** What all rehearsals of one plan may take together: looks at a host, by a pod or by a class. */
interface Effort {
  left: number;
}

const MOST_EFFORT = 12_000_000;

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
  /** Of the packing, with what displaced pods cost on average of all orders. */
  readonly costUsd: number;
}

export const isClean = ({ displaced }: Trial): boolean =>
  displaced.every(({ length }) => length === 0);

export function theatreOf(
  { problem, placed, units, moving }: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
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

/**
 * Rehearses a packing in every order, or, once pods are displaced, in the usual ones; undefined as
 * soon as it is clear that it costs more than `mostUsd`, or where it passes over heavier pools.
 *
 * @param like - a trial whose hardest orders were probably hard for this packing, too
 */
export function tryOut(
  { placed, register, cast, penaltyUsd, effort, plainTooLight }: Theatre,
  packing: Packing,
  mostUsd = Infinity,
  like?: Trial,
): Trial | undefined {
  if (podsTooLight(packing.drafting) > plainTooLight) return undefined;
  const { drafts } = packing.drafting;
  const hosts = register.hostsOf(drafts);
  const rehearse = rehearsalOn(setStage(cast, hosts));
  const orders = bindingOrders(placed, drafts);
  effort.left -= LOOKS_AT_FIRST * cast.length * hosts.length;
  const displaced = orders.map((): readonly Displaced[] => []);
  let { costUsd } = packing;
  for (const [number, order] of hardestFirst(orders, like)) {
    if (number >= USUAL_ORDERS && costUsd > packing.costUsd) continue;
    const inOrder = order();
    const left = rehearse(inOrder);
    effort.left -= (inOrder.pods.length + LOOKS_BEFORE_EACH * cast.length) * hosts.length;
    for (const { cls, pods } of left) costUsd += (pods * penaltyUsd(cls)) / USUAL_ORDERS;
    if (costUsd > mostUsd) return undefined;
    displaced[number] = left;
  }
  return { packing, hosts, displaced, costUsd };
}

function hardestFirst<T>(orders: readonly T[], like: Trial | undefined): [number, T][] {
  const entries = [...orders.entries()];
  if (!like) return entries;
  const pods = like.displaced.map((left) => left.reduce((total, one) => total + one.pods, 0));
  return entries.toSorted(([a], [b]) => (pods[b] ?? 0) - (pods[a] ?? 0));
}
