import { countPods, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import type { Problem } from '../input/problem.ts';
import { joinOpenDrafts } from './constructions/first-fit.ts';
import {
  cheapestType,
  type Draft,
  type Drafting,
  startDrafting,
} from './new-nodes/packing-state.ts';
import { settleLimits } from './new-nodes/resolve-limits.ts';
import { packReserved, type ReservedMode } from './pack-reserved.ts';

/** Nodes for a batch's units, found by one construction. */
export interface Packing {
  readonly drafting: Drafting;
  /** Pods that found no node, on the construction's own copies of the units. */
  readonly left: ReadonlyMap<PodGroup, number>;
  /** Pods that wait for the next plan. */
  readonly deferred: ReadonlyMap<PodGroup, number>;
  /** How many both are. */
  readonly leftPods: number;
  /** Of the cheapest offerings, in USD per hour. */
  readonly hourlyUsd: number;
  /** The same with what nodes cost beside their instance: what packings are compared by. */
  readonly costUsd: number;
}

export type Construction = (drafting: Drafting, units: readonly PodGroup[]) => void;

/** By more than what rounding makes. */
export const isCheaper = (usd: number, thanUsd: number): boolean => usd < thanUsd * (1 - 1e-9);

export function pack(
  problem: PlacementProblem,
  units: readonly PodGroup[],
  construct: Construction,
  reserved: ReservedMode = 'fallback',
): Packing {
  const drafting = startDrafting(problem, countPods(units));
  // Constructions count pods down, each on its own copy.
  const { units: copies, deferred } = packReserved(
    drafting,
    units.map((unit) => ({ ...unit })),
    reserved,
  );
  construct(
    drafting,
    copies.filter(({ count }) => count > 0),
  );
  for (const unit of copies) joinOpenDrafts(drafting, unit);
  settleLimits(drafting);

  const left = new Map(copies.filter(({ count }) => count > 0).map((unit) => [unit, unit.count]));
  const leftPods = [...left.values(), ...deferred.values()].reduce((all, count) => all + count, 0);
  return { drafting, left, deferred, leftPods, ...costOf(drafting) };
}

export function costOf({
  newNodes,
  problem,
}: {
  readonly newNodes: readonly Draft[];
  readonly problem: Problem;
}): Pick<Packing, 'hourlyUsd' | 'costUsd'> {
  const hourlyUsd = newNodes.reduce(
    (total, draft) => total + cheapestType(draft, problem).hourlyUsd,
    0,
  );
  return { hourlyUsd, costUsd: hourlyUsd + newNodes.length * problem.perNodeUsd };
}
