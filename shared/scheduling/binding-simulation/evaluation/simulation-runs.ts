import type { Packing } from '../../packing/packing.ts';
import { leftByClass } from '../repair-moves/leave-pods.ts';
import { type Displaced, rehearsalOn } from '../scheduler-model/simulate-binding.ts';
import { setStage } from '../scheduler-model/simulated-cluster.ts';
import type { Host } from '../scheduler-model/simulated-nodes.ts';
import { type BindingOrder, bindingOrders, USUAL_ORDERS } from './binding-orders.ts';
import type { Theatre } from './simulation-context.ts';

/** What came of rehearsing a packing. */
export interface Outcome {
  readonly packing: Packing;
  readonly hosts: readonly Host[];
  /** By number of the order. */
  readonly displaced: ReadonlyMap<number, readonly Displaced[]>;
  /** Of the packing, with what pods cost that are displaced, or left out for the others' sake. */
  readonly costUsd: number;
}

/** The rehearsals of one packing. */
export interface Performance {
  /** How many orders there are. */
  readonly orders: number;
  /** Whether the same nodes were seen in the order before: then it takes no effort. */
  isKnown(order: number): boolean;
  runIn(order: number): void;
  costUsd(): number;
  outcome(): Outcome;
}

/** How often each class looks at each host before the first order, and before every order. */
const LOOKS_AT_FIRST = 10;
const LOOKS_BEFORE_EACH = 1;

/** Of what a displaced pod counts, a pod without a promise: about as one displaced in one order. */
const LEFT_SHARE = 0.15;

/** @param before - what came of it in some orders already */
export function performanceOf(
  theatre: Theatre,
  packing: Packing,
  before: Outcome = untried(theatre, packing),
): Performance {
  const { placed, cast, penaltyUsd, budget } = theatre;
  const { hosts } = before;
  const orders = bindingOrders(placed, packing.drafting.drafts, cast);
  const known = outcomesOf(theatre, packing, hosts);
  const displaced = new Map(before.displaced);
  let { costUsd } = before;
  let rehearse: ReturnType<typeof rehearsalOn> | undefined;

  function bind(order: BindingOrder): readonly Displaced[] {
    if (!rehearse) {
      budget.spend(LOOKS_AT_FIRST * cast.parts.length * hosts.length);
      rehearse = rehearsalOn(setStage(cast, hosts));
    }
    budget.spend((order.pods.length + LOOKS_BEFORE_EACH * cast.parts.length) * hosts.length);
    return rehearse(order);
  }

  return {
    orders: orders.length,
    isKnown: (number) => known.has(number),
    runIn: (number) => {
      const order = orders[number];
      if (!order) return;
      const left = known.get(number) ?? bind(order.make());
      if (!order.isPlanned) known.set(number, left);
      for (const { cls, pods } of left) costUsd += (pods * penaltyUsd(cls)) / USUAL_ORDERS.length;
      displaced.set(number, left);
    },
    costUsd: () => costUsd,
    outcome: () => ({ packing, hosts, displaced, costUsd }),
  };
}

const untried = (theatre: Theatre, packing: Packing): Outcome => ({
  packing,
  hosts: theatre.register.hostsOf(packing.drafting.drafts),
  displaced: new Map(),
  costUsd: packing.costUsd + leftUsd(theatre, packing),
});

function outcomesOf(
  { outcomes, cast: { partOf } }: Theatre,
  packing: Packing,
  hosts: readonly Host[],
): Map<number, readonly Displaced[]> {
  const left = [...leftByClass(packing)].map(([cls, pods]) =>
    [partOf.get(cls)?.number, pods].join(':'),
  );
  const launched = hosts.flatMap(({ draft, kind }) => (draft ? kind.number : []));
  const key = [...launched, ...left].join();
  const known = outcomes.get(key) ?? new Map<number, readonly Displaced[]>();
  outcomes.set(key, known);
  return known;
}

function leftUsd({ plainLeft, penaltyUsd }: Theatre, packing: Packing): number {
  let usd = 0;
  for (const [cls, pods] of leftByClass(packing)) {
    const more = pods - (plainLeft.get(cls) ?? 0);
    usd += Math.max(0, more) * penaltyUsd(cls) * LEFT_SHARE;
  }
  return usd;
}
