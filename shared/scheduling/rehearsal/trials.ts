import { cheapestNodeUsd } from '../packing/node-offers.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import type { AssignedBatch } from '../solve.ts';
import { topologyOf } from '../topology/topology.ts';
import { bindingOrders } from './binding-orders.ts';
import { type Host, type HostRegister, hostRegister } from './hosts.ts';
import { type Displaced, rehearse } from './rehearsal.ts';
import { castOf, type Part, setStage } from './stage.ts';

/** Where packings of one batch are rehearsed. */
export interface Theatre {
  readonly problem: Problem;
  readonly placed: AssignedBatch['placed'];
  readonly register: HostRegister;
  readonly cast: readonly Part[];
  readonly penaltyUsd: (cls: PodClass) => number;
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
  };
}

/**
 * A displaced pod gets a node of its own by the next plan, and has waited for it: so it counts as
 * several such nodes, and as a share of the whole plan, whose owner wanted all of its pods.
 */
const AS_NODES = 10;
const AS_SHARE = 0.3;

export function tryOut({ placed, register, cast, penaltyUsd }: Theatre, packing: Packing): Trial {
  const { drafts } = packing.drafting;
  const hosts = register.hostsOf(drafts);
  const stage = setStage(cast, hosts);
  const displaced = bindingOrders(placed, drafts).map((order) => rehearse(stage, order));
  const penaltyOfAll = displaced.flat().reduce((total, { cls }) => total + penaltyUsd(cls), 0);
  return { packing, hosts, displaced, costUsd: packing.costUsd + penaltyOfAll / displaced.length };
}
