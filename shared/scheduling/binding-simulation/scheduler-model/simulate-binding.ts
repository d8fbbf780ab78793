import type { HostPort } from '../../../model/pod.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { takenPort } from '../../topology/host-rules.ts';
import type { BindingOrder } from '../evaluation/binding-orders.ts';
import { drawn, STEP } from '../seeded-random.ts';
import type { Counted, Part } from './pod-class-model.ts';
import { likesAllAlike, preferences } from './preference-scores.ts';
import { resourceScore } from './resource-score.ts';
import type { Stage } from './simulated-cluster.ts';
import { type Counts, type Gate, gatesFor, isOpen } from './topology-filters.ts';

/** Pods of a class that were left over, with the hosts that would take them had they more room. */
export interface Displaced {
  readonly cls: PodClass;
  readonly pods: number;
  /** Numbers of the hosts that suit in everything but room. */
  readonly hosts: readonly number[];
}

/**
 * Binds the pods one by one in the given order, as kube-scheduler does it: to the node with the
 * best score among those that pass its filters, whatever node the plan meant them for.
 *
 * @returns who was left over, for each order in turn; what it needs to know of the stage is kept
 * @see kube-scheduler 1.36, its default profile
 */
export function rehearsalOn(stage: Stage): (order: BindingOrder) => Displaced[] {
  const state = newState(stage);
  return ({ pods, seed }) => {
    startOver(stage, state, seed);
    return bindAll(stage, state, pods);
  };
}

/** How far the binding has come. */
interface RehearsalState extends Counts {
  /** Rows by resource, one for each host: what pods may still take. */
  readonly free: Float64Array;
  /** What every host has at first. */
  readonly allFree: Float64Array;
  readonly columns: number;
  readonly hostPorts: HostPort[][];
  /** How many pods each host got. */
  readonly bound: Int32Array;
  /** Rows of hosts, one for each part: those that may have room for another of its pods come first. */
  readonly hosts: Int32Array;
  /** By part: how many those are. */
  readonly open: Int32Array;
  /** Rows by host, one for each part: what its resources are worth, when it was last looked at. */
  readonly scores: Int32Array;
  /** Rows by host, one for each part: how many pods it had got by then. */
  readonly seen: Int32Array;
  /** Decides between equal scores: a number that changes with each use. */
  luck: number;
}

function newState({ cast: { parts }, hosts, tallies, suiting, opening }: Stage): RehearsalState {
  const columns = parts[0]?.request.length ?? 0;
  const allFree = new Float64Array(hosts.length * columns);
  hosts.forEach(({ kind }, host) => {
    for (let column = 0; column < columns; column++) {
      allFree[host * columns + column] = at(kind.free, column);
    }
  });
  return {
    ...{ tallies, columns, allFree },
    free: new Float64Array(allFree.length),
    hostPorts: [],
    counts: tallies.map(({ counts }) => counts.slice()),
    owners: tallies.map(({ owners }) => owners.slice()),
    bound: new Int32Array(hosts.length),
    hosts: new Int32Array(suiting.length),
    open: new Int32Array(parts.length),
    scores: new Int32Array(opening.length),
    seen: new Int32Array(opening.length),
    luck: 0,
  };
}

function startOver(
  { hosts, tallies, suiting, roomyCount, opening }: Stage,
  state: RehearsalState,
  seed: number,
): void {
  state.free.set(state.allFree);
  hosts.forEach(({ kind }, host) => {
    state.hostPorts[host] = [...kind.hostPorts];
  });
  tallies.forEach(({ counts, owners }, number) => {
    state.counts[number]?.set(counts);
    state.owners[number]?.set(owners);
  });
  state.bound.fill(0);
  state.hosts.set(suiting);
  state.open.set(roomyCount);
  state.scores.set(opening);
  state.seen.fill(0);
  state.luck = drawn(seed + 1);
}

function bindAll(stage: Stage, state: RehearsalState, pods: readonly Part[]): Displaced[] {
  const left = new Map<Part, number>();
  let waiting: Part[] = [];
  for (const part of pods) {
    if (!left.has(part) && bind(stage, state, part)) continue;
    // Who has rules may find them met later.
    if (part.isPlain) left.set(part, (left.get(part) ?? 0) + 1);
    else waiting.push(part);
  }
  for (let before = -1; waiting.length !== before && waiting.length > 0; ) {
    before = waiting.length;
    waiting = waiting.filter((part) => !bind(stage, state, part));
  }
  for (const part of waiting) left.set(part, (left.get(part) ?? 0) + 1);
  return [...left].map(([part, count]) => ({
    cls: part.cls,
    pods: count,
    hosts: openTo(stage, state, part),
  }));
}

function bind(stage: Stage, state: RehearsalState, part: Part): boolean {
  const host = bestHost(stage, state, part);
  if (host < 0) return false;
  const { request, asked, countedBy, carries, cls } = part;
  const { free, columns, bound, hostPorts, tallies } = state;
  for (const column of asked) {
    const place = host * columns + column;
    free[place] = at(free, place) - at(request, column);
  }
  bound[host] = (bound[host] ?? 0) + 1;
  if (cls.spec.hostPorts.length > 0) hostPorts[host]?.push(...cls.spec.hostPorts);
  for (const one of countedBy)
    if (tallies[one.number]?.counted[host]) count(state, 'counts', one, host);
  for (const one of carries) count(state, 'owners', one, host);
  return true;
}

function count(counts: Counts, whom: 'counts' | 'owners', { number }: Counted, host: number): void {
  const domain = counts.tallies[number]?.domainOf[host] ?? -1;
  const here = counts[whom][number];
  if (here && domain >= 0) here[domain] = (here[domain] ?? 0) + 1;
}

/** @returns -1: there is none */
function bestHost(stage: Stage, state: RehearsalState, part: Part): number {
  const gates = gatesFor(part, state);
  if (likesAllAlike(stage, part)) return bestOf(stage, state, part, gates);
  lookAgain(stage, state, part);
  const feasible = feasibleHosts(stage, state, part, gates);
  return bestOf(stage, state, part, gates, preferences(stage, state, part, feasible));
}

/**
 * Brings the part's view of its hosts up to date on the way. Hosts only ever fill up.
 *
 * @param extra - by host: what is added to its score
 */
function bestOf(
  stage: Stage,
  state: RehearsalState,
  part: Part,
  gates: readonly Gate[],
  extra?: Float64Array,
): number {
  const { hosts, scores, seen, bound, open } = state;
  const row = part.number * stage.hosts.length;
  const end = row + (open[part.number] ?? 0);
  const isChoosy = gates.length > 0 || part.cls.spec.hostPorts.length > 0;
  let best = -1;
  let bestScore = -Infinity;
  let equals = 0;
  let last = row;
  for (let place = row; place < end; place++) {
    const host = hosts[place] ?? 0;
    if (seen[row + host] !== bound[host] && !hasRoom(stage, state, part, host)) continue;
    hosts[last++] = host;
    const score = (scores[row + host] ?? 0) + (extra?.[host] ?? 0);
    if (score < bestScore || (isChoosy && !isAllowed(state, part, gates, host))) continue;
    equals = score === bestScore ? equals + 1 : 1;
    if (equals > 1 && !isDrawn(state, equals)) continue;
    best = host;
    bestScore = score;
  }
  open[part.number] = last - row;
  return best;
}

/** Whether the last of some equal hosts is taken in place of those before: each is as likely. */
function isDrawn(state: RehearsalState, equals: number): boolean {
  state.luck = (state.luck + STEP) | 0;
  return drawn(state.luck) % equals === 0;
}

function lookAgain(stage: Stage, state: RehearsalState, part: Part): void {
  const { hosts, seen, bound, open } = state;
  const row = part.number * stage.hosts.length;
  const end = row + (open[part.number] ?? 0);
  let last = row;
  for (let place = row; place < end; place++) {
    const host = hosts[place] ?? 0;
    if (seen[row + host] !== bound[host] && !hasRoom(stage, state, part, host)) continue;
    hosts[last++] = host;
  }
  open[part.number] = last - row;
}

/** Looks at a host anew. */
function hasRoom(stage: Stage, state: RehearsalState, part: Part, host: number): boolean {
  const { free, columns, seen, bound, scores } = state;
  const place = part.number * stage.hosts.length + host;
  seen[place] = bound[host] ?? 0;
  const { allocatable } = stage.hosts[host]?.kind ?? {};
  if (!allocatable) return false;
  const score = resourceScore(part.request, part.asked, free, allocatable, host * columns);
  scores[place] = score;
  return score >= 0;
}

function feasibleHosts(
  stage: Stage,
  state: RehearsalState,
  part: Part,
  gates: readonly Gate[],
): number[] {
  const row = part.number * stage.hosts.length;
  const open = state.hosts.subarray(row, row + (state.open[part.number] ?? 0));
  return [...open].filter((host) => isAllowed(state, part, gates, host));
}

/** What ports and other pods allow to the next pod of the part. */
function isAllowed(
  { hostPorts }: RehearsalState,
  { cls: { spec } }: Part,
  gates: readonly Gate[],
  host: number,
): boolean {
  if (gates.length > 0 && !isOpen(gates, host)) return false;
  return spec.hostPorts.length === 0 || !takenPort(spec.hostPorts, hostPorts[host] ?? []);
}

function openTo({ hosts, suiting, suitingCount }: Stage, state: RehearsalState, part: Part) {
  const gates = gatesFor(part, state);
  const row = part.number * hosts.length;
  const all = suiting.subarray(row, row + (suitingCount[part.number] ?? 0));
  return [...all].filter((host) => isAllowed(state, part, gates, host));
}
