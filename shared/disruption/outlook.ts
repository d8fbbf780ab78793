import type { NodePool } from '../model/node-pool.ts';
import type { Pod, PodSpec } from '../model/pod.ts';
import { admits, type ExistingBin } from '../scheduling/input/existing-nodes.ts';
import { type Option, unpinnedOptions } from '../scheduling/assignment/pod-groups.ts';
import { alternativesOf, leastDemanding } from '../scheduling/pods/relaxations.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { hasBit } from '../scheduling/data-structures/bitset.ts';
import type { OfferingIndex, Where } from '../scheduling/instance-types/offering-index.ts';
import {
  addTimes,
  askedColumns,
  hasRoom,
  timesWithin,
  toVector,
  type Vector,
} from '../scheduling/data-structures/resource-vectors.ts';
import { isInsideWindow } from './candidates.ts';
import { withPendingSettled } from './settle-pending.ts';

/** What all candidates of one round are held against. */
export interface Outlook {
  readonly problem: Problem;
  /** Pods that are not there yet but have no other place, by name of the bin. */
  readonly awaited: ReadonlyMap<string, readonly Pod[]>;
  /** Names of nodes that may take pods from others: settled ones, not being watched themselves. */
  readonly mayReceive: ReadonlySet<string>;
  /** The same, with those that are being watched. */
  readonly settled: ReadonlySet<string>;
  /** How many pods of one kind the receivers have free resources for, by name of the bin. */
  roomFor(spec: PodSpec): Room;
}

interface Room {
  readonly total: number;
  readonly byBin: ReadonlyMap<string, number>;
}

/** @param busy - claims of commands under way: they are about to go, tainted or not */
export function outlookOf(
  problem: Problem,
  pools: ReadonlyMap<string, NodePool>,
  busy: ReadonlySet<string>,
): Outlook {
  const { problem: settled, awaited } = withPendingSettled(problem);
  const { takenAt } = problem.snapshot;
  const staying = settled.bins.filter(
    (bin) => !bin.leaving && bin.initialized && !busy.has(bin.claim?.name ?? ''),
  );
  const receivers = staying.filter((bin) => !isInsideWindow(bin, pools, takenAt));
  const rooms = new Map<PodSpec, Room>();
  return {
    problem: settled,
    awaited,
    mayReceive: new Set(receivers.map(({ name }) => name)),
    settled: new Set(staying.map(({ name }) => name)),
    roomFor(spec) {
      const room = rooms.get(spec) ?? countRoom(spec, receivers, settled);
      rooms.set(spec, room);
      return room;
    },
  };
}

function countRoom(spec: PodSpec, receivers: readonly ExistingBin[], { columns }: Problem): Room {
  const request = toVector(columns, spec.requests);
  const ways = leastDemanding(spec);
  const byBin = new Map<string, number>();
  let total = 0;
  for (const bin of receivers) {
    const pods = timesWithin(request, bin.free);
    if (pods === 0 || !ways.some((way) => admits(bin, way))) continue;
    byBin.set(bin.name, pods);
    total += pods;
  }
  return { total, byBin };
}

/**
 * The pods of bins that the other receivers have no free resources for, each kind counted as if
 * it came alone: a quick no. In a cluster that is packed well it answers for most nodes.
 */
export function withoutRoom(
  pods: readonly Pod[],
  going: readonly string[],
  outlook: Outlook,
): Pod[] {
  const left = new Map<PodSpec, number>();
  return pods.filter(({ spec }) => {
    let room = left.get(spec);
    if (room === undefined) {
      const { total, byBin } = outlook.roomFor(spec);
      room = going.reduce((rest, name) => rest - (byBin.get(name) ?? 0), total);
    }
    left.set(spec, room - 1);
    return room <= 0;
  });
}

/**
 * The cheapest node with room for all of `pods` that the first of them may run on, whatever else
 * their rules say: no replacement can cost less.
 *
 * @param enough - what it has to cost less than: cheaper than that is all that is asked
 */
export function leastReplacement(
  pods: readonly Pod[],
  enough: number,
  problem: Problem,
): { readonly type: string; readonly hourlyUsd: number } {
  const total = new Float64Array(problem.columns.names.length);
  for (const { spec } of pods) addTimes(total, toVector(problem.columns, spec.requests), 1);
  const asked = askedColumns(total);
  let least = { type: '', hourlyUsd: Infinity };
  for (const { types, where } of pods[0] ? waysOf(pods[0], problem) : []) {
    for (const { type, hourlyUsd, allocatable } of cheapestFirst(where, problem)) {
      if (hourlyUsd >= least.hourlyUsd) break;
      if (!hasRoom(allocatable, total, asked) || !hasBit(types, type)) continue;
      least = { type: problem.index.types[type]?.name ?? '', hourlyUsd };
      break;
    }
    // Cheaper than the candidate is all that is asked: the full look follows.
    if (least.hourlyUsd < enough) break;
  }
  return least;
}

/** What the pools offer for the pod, in any way to satisfy it. */
export const waysOf = ({ spec }: Pod, problem: Problem): Option[] =>
  alternativesOf(spec).flatMap((alternative) => unpinnedOptions(spec, alternative, problem));

interface PricedType {
  readonly type: number;
  readonly hourlyUsd: number;
  readonly allocatable: Vector;
}

// The order of all types by price, for each set of places; the market changes every few minutes.
const ranked = new WeakMap<OfferingIndex, Map<number, readonly PricedType[]>>();

function cheapestFirst(where: Where, { offerings, index }: Problem): readonly PricedType[] {
  const byPlace = ranked.get(offerings) ?? new Map<number, readonly PricedType[]>();
  ranked.set(offerings, byPlace);
  const key = where.zones * 8 + where.capacityTypes;
  const known = byPlace.get(key);
  if (known) return known;
  const types = index.allocatable
    .map((allocatable, type) => ({
      type,
      hourlyUsd: offerings.cheapestUsd(type, where),
      allocatable,
    }))
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd);
  byPlace.set(key, types);
  return types;
}
