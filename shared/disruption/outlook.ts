import type { NodePool } from '../model/node-pool.ts';
import type { Pod } from '../model/pod.ts';
import { alternativesOf } from '../scheduling/alternatives.ts';
import { hasBit } from '../scheduling/bitset.ts';
import type { ExistingBin } from '../scheduling/existing-bins.ts';
import type { OfferingIndex, Where } from '../scheduling/offering-index.ts';
import type { Problem } from '../scheduling/problem.ts';
import { type Option, unpinnedOptions } from '../scheduling/units.ts';
import { addTimes, askedColumns, at, toVector, type Vector } from '../scheduling/vectors.ts';
import { type Candidate, isInsideWindow } from './candidates.ts';
import { withPendingSettled } from './settle-pending.ts';

/** What all candidates of one round are held against. */
export interface Outlook {
  readonly problem: Problem;
  /** Nodes that may take pods from others: settled ones, that are not being watched themselves. */
  readonly receivers: readonly ExistingBin[];
  readonly mayReceive: ReadonlySet<string>;
}

export function outlookOf(problem: Problem, pools: ReadonlyMap<string, NodePool>): Outlook {
  const settled = withPendingSettled(problem);
  const { takenAt } = problem.snapshot;
  const receivers = settled.bins.filter(
    (bin) => !bin.leaving && bin.initialized && !isInsideWindow(bin, pools, takenAt),
  );
  return { problem: settled, receivers, mayReceive: new Set(receivers.map(({ name }) => name)) };
}

/**
 * The pods that no receiver has free resources for, whatever else holds: a quick no. In a cluster
 * that is packed well this answers for almost every node.
 */
export function withoutRoom(
  pods: readonly Pod[],
  receivers: readonly ExistingBin[],
  { columns }: Problem,
): Pod[] {
  const answers = new Map<Pod['spec'], boolean>();
  return pods.filter(({ spec }) => {
    const known = answers.get(spec);
    if (known !== undefined) return known;
    const request = toVector(columns, spec.requests);
    const asked = askedColumns(request);
    const homeless = !receivers.some(({ free }) => holds(free, request, asked));
    answers.set(spec, homeless);
    return homeless;
  });
}

const holds = (free: Vector, request: Vector, asked: readonly number[]): boolean =>
  asked.every((column) => at(free, column) >= at(request, column));

/**
 * The cheapest node with room for all of `pods` that the first of them may run on, whatever else
 * their rules say: no replacement can cost less.
 */
export function leastReplacement(
  pods: readonly Pod[],
  { hourlyUsd: enough }: Candidate,
  problem: Problem,
): { readonly type: string; readonly hourlyUsd: number } {
  const total = new Float64Array(problem.columns.names.length);
  for (const { spec } of pods) addTimes(total, toVector(problem.columns, spec.requests), 1);
  const asked = askedColumns(total);
  let least = { type: '', hourlyUsd: Infinity };
  for (const { types, where } of pods[0] ? waysOf(pods[0], problem) : []) {
    for (const { type, hourlyUsd } of cheapestFirst(where, problem)) {
      if (hourlyUsd >= least.hourlyUsd) break;
      const allocatable = problem.index.allocatable[type];
      if (!allocatable || !hasBit(types, type) || !holds(allocatable, total, asked)) continue;
      least = { type: problem.index.types[type]?.name ?? '', hourlyUsd };
      break;
    }
    // Cheaper than the candidate is all that is asked: the full look follows.
    if (least.hourlyUsd < enough) break;
  }
  return least;
}

const waysOf = ({ spec }: Pod, problem: Problem): Option[] =>
  alternativesOf(spec).flatMap((alternative) => unpinnedOptions(spec, alternative, problem));

interface PricedType {
  readonly type: number;
  readonly hourlyUsd: number;
}

// The order of all types by price, for each set of places; the market changes every few minutes.
const ranked = new WeakMap<OfferingIndex, Map<number, readonly PricedType[]>>();

function cheapestFirst(where: Where, { offerings, index }: Problem): readonly PricedType[] {
  const byPlace = ranked.get(offerings) ?? new Map<number, readonly PricedType[]>();
  ranked.set(offerings, byPlace);
  const key = where.zones * 8 + where.capacityTypes;
  const known = byPlace.get(key);
  if (known) return known;
  const types = index.types
    .map((_, type) => ({ type, hourlyUsd: offerings.cheapestUsd(type, where) }))
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd);
  byPlace.set(key, types);
  return types;
}
