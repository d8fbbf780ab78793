import { HOSTNAME_LABEL } from '../model/labels.ts';
import type { HostPort } from '../model/pod.ts';
import { findConflict } from '../model/requirements.ts';
import { untoleratedTaint } from '../model/taints.ts';
import type { Alternative } from './alternatives.ts';
import { type DomainChoice, domainChoice } from './domain-choice.ts';
import type { ExistingBin } from './existing-bins.ts';
import { takenPort } from './host-ports.ts';
import { hostRoom, onHost, recordOn } from './host-rules.ts';
import type { PodClass } from './pod-classes.ts';
import type { Problem } from './problem.ts';
import type { ClassTopology, Topology } from './topology.ts';
import { type Option, optionsFor, type Pins, type Unit } from './units.ts';
import { addTimes, askedColumns, at, timesWithin, toVector, type Vector } from './vectors.ts';

/** An existing bin with what this plan has put on it so far. */
interface FillingBin {
  readonly bin: ExistingBin;
  readonly free: Vector;
  readonly hostPorts: HostPort[];
}

/** Where the pods of a batch go: onto what exists, onto nodes to launch, or nowhere. */
export interface Assignment {
  readonly placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>;
  readonly units: readonly Unit[];
  readonly stuck: ReadonlyMap<PodClass, number>;
}

/**
 * Decides for each class the topology domains of its pods, fills what exists, and leaves the rest
 * as units for new nodes. An existing bin always comes before a new node: it costs nothing more.
 *
 * @param mayReceive - whether a class may be put on a bin, beyond what kube-scheduler asks
 */
export function assign(
  problem: Problem,
  classes: readonly PodClass[],
  topology: Topology,
  mayReceive: (bin: ExistingBin) => boolean,
): Assignment {
  const filling = problem.bins
    .filter((bin) => !bin.leaving && mayReceive(bin))
    .map((bin) => ({ bin, free: bin.free.slice(), hostPorts: [...bin.hostPorts] }));
  const placed = new Map<ExistingBin, Map<PodClass, number>>();
  const units: Unit[] = [];
  const stuck = new Map<PodClass, number>();

  for (const cls of dependentLast(classes)) {
    let left = cls.pods.length;
    for (const alternative of cls.alternatives) {
      if (left === 0) break;
      const rules = topology.of(cls, alternative);
      left = assignClass({ cls, alternative, rules, problem, filling, placed, units }, left);
    }
    if (left > 0) stuck.set(cls, left);
  }
  return { placed, units, stuck };
}

/** Pods that must be near others are placed after those; big pods before small ones. */
const dependentLast = (classes: readonly PodClass[]): PodClass[] =>
  classes.toSorted(
    (a, b) =>
      Number(a.spec.podAffinity.length > 0) - Number(b.spec.podAffinity.length > 0) ||
      (b.spec.requests.cpu ?? 0) - (a.spec.requests.cpu ?? 0) ||
      (b.spec.requests.memory ?? 0) - (a.spec.requests.memory ?? 0),
  );

interface Work {
  readonly cls: PodClass;
  readonly alternative: Alternative;
  readonly rules: ClassTopology;
  readonly problem: Problem;
  readonly filling: readonly FillingBin[];
  readonly placed: Map<ExistingBin, Map<PodClass, number>>;
  readonly units: Unit[];
}

/** @returns how many pods found no place this way */
function assignClass(work: Work, count: number): number {
  const { cls, alternative, rules, problem } = work;
  const request = toVector(problem.columns, cls.spec.requests);
  const suitable = suitableBins(work, request);
  const options = new Map<string, Unit>();
  const choice = domainChoice(rules, alternative);

  let left = count;
  while (left > 0) {
    const step = nextStep(choice, left, (pins, most) =>
      place(work, suitable, options, request, pins, most),
    );
    if (step === 0) break;
    left -= step;
  }
  return left;
}

/** Tries the domains in order of preference; existing room anywhere comes before a new node. */
function nextStep(
  choice: DomainChoice,
  left: number,
  tryPlace: (pins: Pins, most: number) => { existing(): number; fresh(): number },
): number {
  const candidates = choice.candidates();
  const most = choice.batch(left);
  for (const kind of ['existing', 'fresh'] as const) {
    for (const pins of candidates) {
      const done = tryPlace(pins, most)[kind]();
      if (done > 0) {
        choice.record(pins, done);
        return done;
      }
    }
  }
  return 0;
}

function place(
  work: Work,
  suitable: FillingBin[],
  units: Map<string, Unit>,
  request: Vector,
  pins: Pins,
  most: number,
): { existing(): number; fresh(): number } {
  return {
    existing: () => placeOnExisting(work, suitable, request, pins, most),
    fresh: () => leaveToNewNodes(work, units, request, pins, most),
  };
}

function placeOnExisting(
  { cls, rules, placed }: Work,
  suitable: FillingBin[],
  request: Vector,
  pins: Pins,
  most: number,
): number {
  let done = 0;
  for (const filling of suitable) {
    if (done === most) break;
    const { bin, free, hostPorts } = filling;
    if (!isIn(bin, pins)) continue;
    const host = bin.labels[HOSTNAME_LABEL] ?? bin.name;
    const room = Math.min(
      most - done,
      timesWithin(request, free),
      hostRoom(rules, onHost(host)),
      portRoom(cls, hostPorts),
    );
    if (room === 0) continue;

    addTimes(free, request, -room);
    hostPorts.push(...cls.spec.hostPorts);
    recordOn(rules, HOSTNAME_LABEL, host, room);
    const here = placed.get(bin) ?? new Map<PodClass, number>();
    placed.set(bin, here.set(cls, (here.get(cls) ?? 0) + room));
    done += room;
  }
  return done;
}

const isIn = (bin: ExistingBin, pins: Pins): boolean => {
  for (const [key, domain] of pins) if (bin.labels[key] !== domain) return false;
  return true;
};

const portRoom = ({ spec }: PodClass, taken: readonly HostPort[]): number => {
  if (spec.hostPorts.length === 0) return Infinity;
  return takenPort(spec.hostPorts, taken) ? 0 : 1;
};

function leaveToNewNodes(
  { cls, alternative, rules, problem, units }: Work,
  known: Map<string, Unit>,
  request: Vector,
  pins: Pins,
  most: number,
): number {
  const key = [...pins].join();
  let unit = known.get(key);
  if (!unit) {
    const options: Option[] = optionsFor(cls, alternative, pins, request, problem);
    unit = { cls, request, asked: askedColumns(request), topology: rules, options, count: 0 };
    known.set(key, unit);
    if (options.length > 0) units.push(unit);
  }
  if (unit.options.length === 0) return 0;
  unit.count += most;
  return most;
}

/** Bins that suit the class whatever else is on them; fullest first, so that room stays in one piece. */
function suitableBins({ cls, alternative, filling }: Work, request: Vector): FillingBin[] {
  return filling
    .filter(
      ({ bin, free }) =>
        timesWithin(request, free) > 0 &&
        !untoleratedTaint(bin.taints, alternative.tolerations) &&
        findConflict(bin.requirements, alternative.requirements) === undefined &&
        cls.spec.schedulingGates.length === 0,
    )
    .toSorted(
      (a, b) =>
        Number(b.bin.initialized) - Number(a.bin.initialized) ||
        fullness(b) - fullness(a) ||
        (a.bin.name < b.bin.name ? -1 : 1),
    );
}

/** The larger of the shares of CPU and memory in use. */
const fullness = ({ bin, free }: FillingBin): number =>
  Math.max(
    ...[0, 1].map((column) => {
      const all = at(bin.allocatable, column);
      return all > 0 ? 1 - at(free, column) / all : 0;
    }),
  );
