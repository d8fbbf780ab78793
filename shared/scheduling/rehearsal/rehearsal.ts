import type { HostPort } from '../../model/pod.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { takenPort } from '../topology/host-ports.ts';
import { at, type Vector } from '../vectors.ts';
import type { BindingOrder } from './binding-orders.ts';
import { preferences } from './preferences.ts';
import { resourceScore } from './resource-score.ts';
import type { Role, Stage, Tally } from './stage.ts';
import { topologyFilter } from './topology-filter.ts';

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
 * @see kube-scheduler 1.36, its default profile
 */
export function rehearse(stage: Stage, { pods, seed }: BindingOrder): Displaced[] {
  const state = startState(stage, seed);
  const left = new Map<Role, number>();
  let waiting: Role[] = [];
  for (const cls of pods) {
    const role = stage.roles.get(cls);
    if (!role || (!left.has(role) && bind(stage, state, role))) continue;
    // Who has rules may find them met later.
    if (role.isPlain) left.set(role, (left.get(role) ?? 0) + 1);
    else waiting.push(role);
  }
  for (let before = -1; waiting.length !== before && waiting.length > 0; ) {
    before = waiting.length;
    waiting = waiting.filter((role) => !bind(stage, state, role));
  }
  for (const role of waiting) left.set(role, (left.get(role) ?? 0) + 1);
  return [...left].map(([role, count]) => ({
    cls: role.cls,
    pods: count,
    hosts: openTo(state, role),
  }));
}

/** How far the binding has come. */
export interface RehearsalState {
  readonly free: readonly Vector[];
  readonly hostPorts: readonly HostPort[][];
  /** By number of the tally, then of the domain. */
  readonly counts: readonly Int32Array[];
  readonly owners: readonly Int32Array[];
  /** The host of each pod that was bound, in their order. */
  readonly bound: number[];
  readonly views: Map<Role, View>;
  /** Decides between equal scores: a number that changes with each use. */
  luck: number;
}

/** What a role thinks of the resources of its hosts: looked at again where pods were bound since. */
interface View {
  /** By host; -1: no room. */
  readonly scores: Float64Array;
  /** How many had been bound when it last looked. */
  seen: number;
}

const startState = ({ hosts, free, tallies }: Stage, seed: number): RehearsalState => ({
  free: free.map((vector) => vector.slice()),
  hostPorts: hosts.map(({ kind }) => [...kind.hostPorts]),
  counts: tallies.map(({ counts }) => counts.slice()),
  owners: tallies.map(({ owners }) => owners.slice()),
  bound: [],
  views: new Map(),
  luck: seed * 9_973,
});

function bind(stage: Stage, state: RehearsalState, role: Role): boolean {
  const host = bestHost(stage, state, role);
  const free = host === undefined ? undefined : state.free[host];
  if (host === undefined || !free) return false;
  for (const column of role.asked) free[column] = at(free, column) - at(role.request, column);
  state.bound.push(host);
  if (role.cls.spec.hostPorts.length > 0) state.hostPorts[host]?.push(...role.cls.spec.hostPorts);
  for (const tally of role.countedBy) if (tally.counted[host]) count(state.counts, tally, host);
  for (const tally of role.carries) count(state.owners, tally, host);
  return true;
}

function count(amounts: readonly Int32Array[], tally: Tally, host: number): void {
  const domain = tally.domainOf[host] ?? -1;
  const here = amounts[tally.number];
  if (here && domain >= 0) here[domain] = (here[domain] ?? 0) + 1;
}

function bestHost(stage: Stage, state: RehearsalState, role: Role): number | undefined {
  const scores = lookAgain(stage, state, role);
  const isOpen = filterOf(state, role);
  const extra = preferences(state, role, scores, isOpen);
  let best: number | undefined;
  let bestScore = -Infinity;
  let equals = 0;
  for (const host of role.hosts) {
    const resources = scores[host] ?? -1;
    if (resources < 0) continue;
    const score = extra ? resources + (extra[host] ?? 0) : resources;
    if (score < bestScore || (isOpen && !isOpen(host))) continue;
    equals = score === bestScore ? equals + 1 : 1;
    if (equals === 1 || isDrawn(state, equals)) [best, bestScore] = [host, score];
  }
  return best;
}

/** Whether the last of some equal hosts is taken in place of those before: each is as likely. */
function isDrawn(state: RehearsalState, equals: number): boolean {
  state.luck = (Math.imul(state.luck, 1_664_525) + 1_013_904_223) >>> 0;
  return (state.luck >>> 8) % equals === 0;
}

/** Brings the role's view of its hosts up to date. */
function lookAgain(stage: Stage, state: RehearsalState, role: Role): Float64Array {
  const view = state.views.get(role) ?? { scores: role.opening.slice(), seen: 0 };
  state.views.set(role, view);
  const { scores } = view;
  const { bound } = state;
  for (; view.seen < bound.length; view.seen++) {
    const host = bound[view.seen] ?? 0;
    // Hosts only ever fill up.
    if ((scores[host] ?? -1) < 0) continue;
    const free = state.free[host];
    const allocatable = stage.hosts[host]?.kind.allocatable;
    if (free && allocatable) {
      scores[host] = resourceScore(role.request, role.asked, free, allocatable);
    }
  }
  return scores;
}

/** What ports and other pods allow to the next pod of the role; undefined: any host. */
function filterOf(state: RehearsalState, role: Role): ((host: number) => boolean) | undefined {
  const allows = topologyFilter(state, role);
  const { hostPorts } = role.cls.spec;
  if (hostPorts.length === 0) return allows;
  const hasPorts = (host: number) => !takenPort(hostPorts, state.hostPorts[host] ?? []);
  return (host) => hasPorts(host) && (allows?.(host) ?? true);
}

function openTo(state: RehearsalState, role: Role): number[] {
  const isOpen = filterOf(state, role);
  return [...role.hosts].filter((host) => !isOpen || isOpen(host));
}
