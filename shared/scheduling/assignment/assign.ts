import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { timesWithin } from '../data-structures/resource-vectors.ts';
import { countPodsWithDevices, allocateDevicesOnNode } from '../devices/device-room.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { isHeadroomSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Pins } from '../topology/domain-choice.ts';
import { findLeadingCandidates } from '../topology/domain-choice.ts';
import {
  computeHostRoom,
  countsOnHost,
  findPortConflict,
  recordPods,
} from '../topology/host-rules.ts';
import type { Topology, TopologyGroup } from '../topology/topology.ts';
import { type RoomBook, roomBook } from './node-room-tracker.ts';
import { sortForPlacement } from './placement-order.ts';
import { podsOf, type Unit } from './pod-groups.ts';
import {
  type AttemptContext,
  findOrCreatePodGroup,
  isInDomains,
  listLevelFrom,
  type RelaxationAttempt,
  rankAttempts,
  toDomainKey,
} from './relaxation-attempts.ts';

/** Where the pods of a batch go: onto what exists, onto nodes to launch, or nowhere. */
export interface Assignment {
  readonly placed: RoomBook['placed'];
  readonly units: readonly Unit[];
  readonly stuck: ReadonlyMap<PodClass, number>;
}

export interface AssignmentRules {
  /** Whether a bin may take pods at all, beyond what kube-scheduler asks. */
  readonly mayReceive: (bin: ExistingBin) => boolean;
  /** False: pods that existing bins cannot take are stuck, and the first such class ends it. */
  readonly newNodes: boolean;
  /** The most pods that new nodes can take in one way and domain, found out by packing. */
  readonly caps: UnitCaps;
  /** Who chooses before whom, whatever they ask for. */
  readonly turns: (a: PodClass, b: PodClass) => number;
}

/** By class, then by `capKey`. */
export type UnitCaps = ReadonlyMap<PodClass, ReadonlyMap<string, number>>;

export const capKey = ({ way, place }: Pick<Unit, 'way' | 'place'>): string => `${way} ${place}`;

/** The key of what new nodes can take in all ways and domains together. */
export const ALL_PLACES = 'all';

/**
 * Decides for each class the topology domains of its pods, fills what exists, and leaves the rest
 * as units for new nodes. An existing bin always comes before a new node: it costs nothing more.
 */
export function assign(
  problem: Problem,
  classes: readonly PodClass[],
  topology: Topology,
  { mayReceive, newNodes, caps, turns }: AssignmentRules,
): Assignment {
  const bins = problem.bins.filter((bin) => !bin.leaving && mayReceive(bin));
  const book = roomBook();
  const units: Unit[] = [];
  const stuck = new Map<PodClass, number>();
  const awaited = new Set<TopologyGroup>();
  const surroundings = { problem, topology, bins, book, units, newNodes, awaited };
  const ordered = sortForPlacement(classes, problem.snapshot.namespaces).toSorted(turns);
  // Pods that only stand for room are company for nobody: all others come before them.
  for (const isRoom of [false, true]) {
    let waiting = ordered.filter(({ spec }) => isHeadroomSpec(spec) === isRoom);
    while (waiting.length > 0) {
      for (const cls of waiting) {
        const left = assignClass({ ...surroundings, cls, cap: caps.get(cls) ?? NO_CAP });
        if (left === 0) stuck.delete(cls);
        else stuck.set(cls, left);
        if (left > 0 && !newNodes) return { placed: book.placed, units, stuck };
      }
      const joining = waiting.filter((cls) => isWaitingForOthers(cls, stuck));
      // Whoever is left of a round in which nobody found a place waits for pods that do not come.
      waiting = joining.length < waiting.length ? joining : [];
    }
  }
  return { placed: book.placed, units, stuck };
}

/** Those whom they have to join may have been placed after them: affinity comes in chains. */
const isWaitingForOthers = (cls: PodClass, stuck: ReadonlyMap<PodClass, number>): boolean =>
  cls.spec.podAffinity.length > 0 && stuck.get(cls) === cls.pods.length;

interface Work extends AttemptContext {
  readonly units: Unit[];
  readonly newNodes: boolean;
  readonly cap: ReadonlyMap<string, number>;
  /** Affinity rules on the hostname whose pods wait for a new node: nobody founds another host. */
  readonly awaited: Set<TopologyGroup>;
}

const NO_CAP: ReadonlyMap<string, number> = new Map();

/** @returns how many pods found no place in any way */
function assignClass(work: Work): number {
  const { pods, relaxations } = work.cls;
  let left = pods.length;
  for (let given = 0; given < relaxations.length && left > 0; ) {
    const level = listLevelFrom(relaxations, given);
    const ways = rankAttempts(work, level);
    while (left > 0) {
      const placed = nextPods(work, ways, left);
      if (placed === 0) break;
      left -= placed;
    }
    given += level.length;
  }
  return left;
}

/** Tries the domains in order of preference; existing room anywhere comes before a new node. */
function nextPods(work: Work, ways: readonly RelaxationAttempt[], left: number): number {
  const looked = ways.map((way) => candidatesOf(work, way, left));
  for (const part of ['leading', 'others'] as const) {
    for (const candidates of looked) {
      const { way } = candidates;
      if (way.suitableNodes.length === 0) continue;
      const placed = onExisting(work, way, candidates[part], left);
      if (placed > 0) return placed;
    }
    for (const candidates of work.newNodes ? looked : []) {
      const placed = onNewNodes(work, candidates.way, candidates[part], left);
      if (placed > 0) return placed;
    }
  }
  return 0;
}

interface Candidates {
  readonly way: RelaxationAttempt;
  readonly leading: readonly Pins[];
  /** Only for want of better ones: they leave fewer places for the pods that follow. */
  readonly others: readonly Pins[];
}

/** The most pods that are looked ahead for. */
const LOOK_AHEAD = 8;

function candidatesOf(work: Work, way: RelaxationAttempt, left: number): Candidates {
  const { choice } = way;
  const candidates = choice.candidates();
  if (!choice.isCoupled || left === 1 || candidates.length < 2) {
    return { way, leading: candidates, others: [] };
  }
  const isPossible = (pins: Pins) =>
    way.suitableNodes.some((bin) => isInDomains(bin, pins)) ||
    (work.newNodes && roomOnNewNodes(work, findOrCreatePodGroup(work, way, pins)) > 0);
  const leading = findLeadingCandidates(
    candidates,
    choice,
    isPossible,
    Math.min(left - 1, LOOK_AHEAD),
  );
  return { way, leading, others: candidates.filter((pins) => !leading.includes(pins)) };
}

function onExisting(
  work: Work,
  way: RelaxationAttempt,
  candidates: readonly Pins[],
  left: number,
): number {
  for (const pins of candidates) {
    const placed = placeOnExisting(work, way, pins, way.choice.batch(left));
    if (placed === 0) continue;
    way.choice.record(pins, placed);
    return placed;
  }
  return 0;
}

function onNewNodes(
  work: Work,
  way: RelaxationAttempt,
  candidates: readonly Pins[],
  left: number,
): number {
  for (const pins of candidates) {
    const unit = findOrCreatePodGroup(work, way, pins);
    const pods = Math.min(way.choice.batch(left), roomOnNewNodes(work, unit));
    if (pods <= 0) continue;
    unit.count += pods;
    way.choice.record(pins, pods);
    for (const group of way.rules.countedBy) if (isOfHosts(group)) work.awaited.add(group);
    return pods;
  }
  return 0;
}

const isOfHosts = ({ kind, key }: TopologyGroup): boolean =>
  kind === 'affinity' && key === HOSTNAME_LABEL;

const roomOnNewNodes = (work: Work, unit: Unit): number =>
  unit.options.length > 0 ? roomUnderCaps(work, unit) : 0;

function roomUnderCaps({ cls, cap, units }: Work, unit: Unit): number {
  const here = (cap.get(capKey(unit)) ?? Infinity) - unit.count;
  const anywhere = cap.get(ALL_PLACES);
  if (anywhere === undefined) return here;
  const others = units.filter((other) => other.cls === cls);
  return Math.min(here, anywhere - podsOf(others));
}

function placeOnExisting(work: Work, way: RelaxationAttempt, pins: Pins, most: number): number {
  const { cls, book, awaited, problem } = work;
  const { rules, request, suitableNodes, exhausted } = way;
  const place = toDomainKey(pins);
  let placed = 0;
  let next = exhausted.get(place) ?? 0;
  for (; next < suitableNodes.length && placed < most; next++) {
    const bin = suitableNodes[next];
    if (!bin || !isInDomains(bin, pins)) continue;
    const host = bin.labels[HOSTNAME_LABEL] ?? bin.name;
    const roomy = Math.min(
      most - placed,
      timesWithin(request, book.free(bin)),
      computeHostRoom(rules, countsOnHost(host, awaited)),
      portRoom(cls, bin, book),
    );
    const room = countPodsWithDevices(cls.spec, bin, book.free(bin), roomy, problem);
    if (room === 0) continue;
    allocateDevicesOnNode(cls.spec, bin, room, problem);
    book.put(bin, cls, request, room);
    recordPods(rules, HOSTNAME_LABEL, host, room);
    placed += room;
  }
  // The last one may have more room; those before it took what they could.
  exhausted.set(place, placed === most ? next - 1 : next);
  return placed;
}

const portRoom = ({ spec }: PodClass, bin: ExistingBin, book: RoomBook): number => {
  if (spec.hostPorts.length === 0) return Infinity;
  return findPortConflict(spec.hostPorts, book.hostPorts(bin)) ? 0 : 1;
};
