import { HOSTNAME_LABEL, ZONE_LABEL } from '../model/labels.ts';
import { findConflict } from '../model/requirements.ts';
import { untoleratedTaint } from '../model/taints.ts';
import type { Alternative } from './alternatives.ts';
import { type DomainChoice, domainChoice } from './domain-choice.ts';
import type { ExistingBin } from './existing-bins.ts';
import { takenPort } from './host-ports.ts';
import { hostRoom, onHost, recordOn } from './host-rules.ts';
import type { PodClass } from './pod-classes.ts';
import type { Problem } from './problem.ts';
import { type RoomBook, roomBook } from './room-book.ts';
import type { ClassTopology, Topology } from './topology.ts';
import { optionsFor, type Pins, type Unit } from './units.ts';
import { askedColumns, at, timesWithin, toVector, type Vector } from './vectors.ts';

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
  { mayReceive, newNodes, caps }: AssignmentRules,
): Assignment {
  const bins = problem.bins.filter((bin) => !bin.leaving && mayReceive(bin));
  const book = roomBook();
  const units: Unit[] = [];
  const stuck = new Map<PodClass, number>();
  let waiting = choosiestFirst(classes);
  while (waiting.length > 0) {
    for (const cls of waiting) {
      const cap = caps.get(cls) ?? NO_CAP;
      const left = assignClass({ cls, problem, topology, bins, book, units, newNodes, cap });
      if (left === 0) stuck.delete(cls);
      else stuck.set(cls, left);
      if (left > 0 && !newNodes) return { placed: book.placed, units, stuck };
    }
    const joining = waiting.filter((cls) => isWaitingForOthers(cls, stuck));
    // Whoever is left of a round in which nobody found a place waits for pods that do not come.
    waiting = joining.length < waiting.length ? joining : [];
  }
  return { placed: book.placed, units, stuck };
}

/** Those whom they have to join may have been placed after them: affinity comes in chains. */
const isWaitingForOthers = (cls: PodClass, stuck: ReadonlyMap<PodClass, number>): boolean =>
  cls.spec.podAffinity.length > 0 && stuck.get(cls) === cls.pods.length;

/**
 * Pods that must be near others are placed after those; pods that need a host for each of them
 * before those that fit together; big pods before small ones. Among equals, those that name their
 * zone come before those that may choose: whoever chooses first may bar the others.
 */
const choosiestFirst = (classes: readonly PodClass[]): PodClass[] =>
  classes.toSorted(
    (a, b) =>
      Number(a.spec.podAffinity.length > 0) - Number(b.spec.podAffinity.length > 0) ||
      Number(needsHosts(b)) - Number(needsHosts(a)) ||
      (b.spec.requests.cpu ?? 0) - (a.spec.requests.cpu ?? 0) ||
      (b.spec.requests.memory ?? 0) - (a.spec.requests.memory ?? 0) ||
      Number(namesZone(b)) - Number(namesZone(a)),
  );

const needsHosts = ({ spec }: PodClass): boolean =>
  [...spec.topologySpread, ...spec.podAntiAffinity].some(({ key }) => key === HOSTNAME_LABEL);

const namesZone = ({ alternatives }: PodClass): boolean =>
  alternatives.every(({ strict }) => strict.has(ZONE_LABEL));

interface Work {
  readonly cls: PodClass;
  readonly problem: Problem;
  readonly topology: Topology;
  readonly bins: readonly ExistingBin[];
  readonly book: RoomBook;
  readonly units: Unit[];
  readonly newNodes: boolean;
  readonly cap: ReadonlyMap<string, number>;
}

const NO_CAP: ReadonlyMap<string, number> = new Map();

/** @returns how many pods found no place in any way */
function assignClass(work: Work): number {
  const { cls, topology, problem } = work;
  const request = toVector(problem.columns, cls.spec.requests);
  let left = cls.pods.length;
  for (const [ordinal, alternative] of cls.alternatives.entries()) {
    const rules = topology.of(cls, alternative);
    const wanted = { ordinal, alternative, rules, request };
    const suitable = suitableBins(work, wanted);
    const way: Way = { ...wanted, suitable, units: new Map(), full: new Map() };
    const choice = domainChoice(rules, alternative);
    while (left > 0) {
      const placed = nextPods(work, way, choice, left);
      if (placed === 0) break;
      left -= placed;
    }
    if (left === 0) break;
  }
  return left;
}

/** One way to satisfy the class, with the bins it suits and the units it has led to, by domains. */
interface Way extends Wanted {
  readonly suitable: readonly ExistingBin[];
  /** How many of `suitable` have nothing left for pods in some domains: they are not asked again. */
  readonly full: Map<string, number>;
  readonly units: Map<string, Unit>;
}

/** What the pods ask for in one way. */
interface Wanted {
  /** Position among the alternatives of the class. */
  readonly ordinal: number;
  readonly alternative: Alternative;
  readonly rules: ClassTopology;
  readonly request: Vector;
}

/** Tries the domains in order of preference; existing room anywhere comes before a new node. */
function nextPods(work: Work, way: Way, choice: DomainChoice, left: number): number {
  const most = choice.batch(left);
  const candidates = choice.candidates();
  for (const pins of way.suitable.length > 0 ? candidates : []) {
    const placed = placeOnExisting(work, way, pins, most);
    if (placed === 0) continue;
    choice.record(pins, placed);
    return placed;
  }
  for (const pins of work.newNodes ? candidates : []) {
    const unit = unitFor(work, way, pins);
    const room = roomUnderCaps(work, unit);
    const pods = unit.options.length > 0 ? Math.min(most, room) : 0;
    if (pods <= 0) continue;
    unit.count += pods;
    choice.record(pins, pods);
    return pods;
  }
  return 0;
}

function roomUnderCaps({ cls, cap, units }: Work, unit: Unit): number {
  const here = (cap.get(capKey(unit)) ?? Infinity) - unit.count;
  const anywhere = cap.get(ALL_PLACES);
  if (anywhere === undefined) return here;
  const others = units.filter((other) => other.cls === cls);
  return Math.min(here, anywhere - others.reduce((total, { count }) => total + count, 0));
}

function placeOnExisting({ cls, book }: Work, way: Way, pins: Pins, most: number): number {
  const { rules, request, suitable, full } = way;
  const place = placeOf(pins);
  let placed = 0;
  let next = full.get(place) ?? 0;
  for (; next < suitable.length && placed < most; next++) {
    const bin = suitable[next];
    if (!bin || !isIn(bin, pins)) continue;
    const host = bin.labels[HOSTNAME_LABEL] ?? bin.name;
    const room = Math.min(
      most - placed,
      timesWithin(request, book.free(bin)),
      hostRoom(rules, onHost(host)),
      portRoom(cls, bin, book),
    );
    if (room === 0) continue;
    book.put(bin, cls, request, room);
    recordOn(rules, HOSTNAME_LABEL, host, room);
    placed += room;
  }
  // The last one may have more room; those before it took what they could.
  full.set(place, placed === most ? next - 1 : next);
  return placed;
}

const placeOf = (pins: Pins): string => [...pins].join();

const isIn = (bin: ExistingBin, pins: Pins): boolean => {
  for (const [key, domain] of pins) if (bin.labels[key] !== domain) return false;
  return true;
};

const portRoom = ({ spec }: PodClass, bin: ExistingBin, book: RoomBook): number => {
  if (spec.hostPorts.length === 0) return Infinity;
  return takenPort(spec.hostPorts, book.hostPorts(bin)) ? 0 : 1;
};

function unitFor({ cls, problem, units }: Work, way: Way, pins: Pins): Unit {
  const place = placeOf(pins);
  const known = way.units.get(place);
  if (known) return known;

  const { ordinal, alternative, rules, request } = way;
  const options = optionsFor(cls, alternative, pins, problem);
  const asked = askedColumns(request);
  const shape = { request, asked, topology: rules, options };
  const unit: Unit = { cls, way: ordinal, place, ...shape, count: 0 };
  way.units.set(place, unit);
  if (options.length > 0) units.push(unit);
  return unit;
}

/** Bins that suit the class whatever else is on them; fullest first, so that room stays in one piece. */
function suitableBins(
  { cls, bins, book }: Work,
  { alternative, request }: Wanted,
): readonly ExistingBin[] {
  if (cls.spec.schedulingGates.length > 0) return [];
  const asked = askedColumns(request);
  return bins
    .filter(
      (bin) =>
        asked.every((column) => at(request, column) <= at(book.free(bin), column)) &&
        !untoleratedTaint(bin.taints, alternative.tolerations) &&
        findConflict(bin.requirements, alternative.requirements) === undefined,
    )
    .map((bin) => ({ bin, fullness: fullness(bin, book) }))
    .toSorted(
      (a, b) =>
        Number(b.bin.initialized) - Number(a.bin.initialized) ||
        b.fullness - a.fullness ||
        (a.bin.name < b.bin.name ? -1 : 1),
    )
    .map(({ bin }) => bin);
}

/** The larger of the shares of CPU and memory in use. */
function fullness(bin: ExistingBin, book: RoomBook): number {
  const free = book.free(bin);
  const shares = [0, 1].map((column) => {
    const all = at(bin.allocatable, column);
    return all > 0 ? 1 - at(free, column) / all : 0;
  });
  return Math.max(...shares);
}
