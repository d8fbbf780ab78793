import type { AssignedBatch } from '../../assignment/assign-batch.ts';
import type { Problem } from '../../input/problem.ts';
import { cheapestNodeUsd } from '../../packing/constructions/node-offers.ts';
import type { Packing } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { topologyOf } from '../../topology/topology.ts';
import { leftByClass } from '../repair-moves/leave-pods.ts';
import { type Cast, castOf } from '../scheduler-model/pod-class-model.ts';
import type { Displaced } from '../scheduler-model/simulate-binding.ts';
import { type HostRegister, hostRegister } from '../scheduler-model/simulated-nodes.ts';
import { USUAL_ORDERS } from './binding-orders.ts';
import { podsTooLight } from './pool-weights.ts';
import { createWorkBudget, type WorkBudget } from './work-budget.ts';

/** Where packings of one batch are rehearsed. */
export interface Theatre {
  readonly problem: Problem;
  readonly placed: AssignedBatch['placed'];
  readonly register: HostRegister;
  readonly cast: Cast;
  readonly penaltyUsd: (cls: PodClass) => number;
  readonly budget: WorkBudget;
  /** The most that a packing may cost at last, in USD per hour. */
  readonly mostUsd: number;
  /** Numbers of the orders that tell how well a packing holds; those that refute one join them. */
  readonly telling: number[];
  /** By the nodes and pods of a packing: who was displaced in an order that is the same for all. */
  readonly outcomes: Map<string, Map<number, readonly Displaced[]>>;
  /** How many pods may be left without a promised place. */
  readonly mostLeft: number;
  /** Pods that the cheapest packing leaves. */
  readonly plainLeft: ReadonlyMap<PodClass, number>;
  /** Of the cheapest packing, in USD per hour. */
  readonly plainUsd: number;
  /** Pods that the cheapest packing already has on nodes of too light a pool. */
  readonly plainTooLight: number;
}

/** Visits that the simulations of one plan may take together. */
const MAX_VISITS = 30_000_000;

/**
 * @param mostUsd - the most that a packing may cost at last, in USD per hour
 * @param mostLeft - how many pods may be left out for the others' sake, with those left anyway
 */
export function theatreOf(
  { problem, placed, units, moving }: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  mostUsd: number,
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
    budget: createWorkBudget(MAX_VISITS),
    mostUsd,
    telling: [...USUAL_ORDERS],
    outcomes: new Map(),
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
