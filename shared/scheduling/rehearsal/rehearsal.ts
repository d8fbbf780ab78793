import type { HostPort } from '../../model/pod.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { takenPort } from '../topology/host-ports.ts';
import { at, type Vector } from '../vectors.ts';
import type { BindingOrder } from './binding-orders.ts';
import { type Counts, type Gate, gatesFor, isOpen } from './gates.ts';
import { drawn, STEP } from './lots.ts';
import { preferences } from './preferences.ts';
import { resourceScore } from './resource-score.ts';
import type { Role, Stage, Tally } from './stage.ts';

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
  readonly free: readonly Vector[];
  readonly hostPorts: HostPort[][];
  /** How many pods each host got. */
  readonly bound: Int32Array;
  readonly views: ReadonlyMap<Role, View>;
  /** Decides between equal scores: a number that changes with each use. */
  luck: number;
}

/** What a role thinks of the resources of its hosts: looked at again where pods were bound since. */
interface View {
  /** Hosts that may have room for another pod come first, in their order. */
  readonly hosts: Int32Array;
  open: number;
  /** By host. */
  readonly scores: Int32Array;
  /** By host: how many pods it had got when it was last looked at. */
  readonly seen: Int32Array;
}

function newState({ hosts, tallies, roles }: Stage): RehearsalState {
  return {
    free: hosts.map(({ kind }) => kind.free.slice()),
    hostPorts: [],
    counts: tallies.map(({ counts }) => counts.slice()),
    owners: tallies.map(({ owners }) => owners.slice()),
    bound: new Int32Array(hosts.length),
    views: new Map(
      [...roles.values()].map((role) => [
        role,
        {
          hosts: role.hosts.slice(),
          open: 0,
          scores: role.opening.slice(),
          seen: new Int32Array(hosts.length),
        },
      ]),
    ),
    luck: 0,
  };
}

function startOver({ hosts, tallies }: Stage, state: RehearsalState, seed: number): void {
  hosts.forEach(({ kind }, host) => {
    state.free[host]?.set(kind.free);
    state.hostPorts[host] = [...kind.hostPorts];
  });
  tallies.forEach(({ counts, owners }, number) => {
    state.counts[number]?.set(counts);
    state.owners[number]?.set(owners);
  });
  state.bound.fill(0);
  for (const [role, view] of state.views) {
    view.hosts.set(role.hosts);
    view.open = role.roomy;
    view.scores.set(role.opening);
    view.seen.fill(0);
  }
  state.luck = drawn(seed + 1);
}

function bindAll(stage: Stage, state: RehearsalState, pods: readonly PodClass[]): Displaced[] {
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

function bind(stage: Stage, state: RehearsalState, role: Role): boolean {
  const host = bestHost(stage, state, role);
  const free = state.free[host];
  if (!free) return false;
  for (const column of role.asked) free[column] = at(free, column) - at(role.request, column);
  state.bound[host] = (state.bound[host] ?? 0) + 1;
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

/** @returns -1: there is none */
function bestHost(stage: Stage, state: RehearsalState, role: Role): number {
  const view = state.views.get(role);
  if (!view) return -1;
  lookAgain(stage, state, role, view);
  const gates = gatesFor(role, state);
  const extra = preferences(state, role, () => feasibleHosts(state, role, view, gates));
  const { hosts, open, scores } = view;
  let best = -1;
  let bestScore = -Infinity;
  let equals = 0;
  for (let place = 0; place < open; place++) {
    const host = hosts[place] ?? 0;
    const score = (scores[host] ?? 0) + (extra?.[host] ?? 0);
    if (score < bestScore || !isAllowed(state, role, gates, host)) continue;
    equals = score === bestScore ? equals + 1 : 1;
    if (equals === 1 || isDrawn(state, equals)) [best, bestScore] = [host, score];
  }
  return best;
}

/** Whether the last of some equal hosts is taken in place of those before: each is as likely. */
function isDrawn(state: RehearsalState, equals: number): boolean {
  state.luck = (state.luck + STEP) | 0;
  return drawn(state.luck) % equals === 0;
}

/** Brings the role's view of its hosts up to date. Hosts only ever fill up. */
function lookAgain(stage: Stage, state: RehearsalState, role: Role, view: View): void {
  const { hosts, scores, seen } = view;
  const { bound } = state;
  let open = 0;
  for (let place = 0; place < view.open; place++) {
    const host = hosts[place] ?? 0;
    const now = bound[host] ?? 0;
    if (seen[host] !== now) {
      seen[host] = now;
      const free = state.free[host];
      const allocatable = stage.hosts[host]?.kind.allocatable;
      const score =
        free && allocatable ? resourceScore(role.request, role.asked, free, allocatable) : -1;
      if (score < 0) continue;
      scores[host] = score;
    }
    hosts[open] = host;
    open += 1;
  }
  view.open = open;
}

const feasibleHosts = (
  state: RehearsalState,
  role: Role,
  { hosts, open }: View,
  gates: readonly Gate[],
): number[] => [...hosts.subarray(0, open)].filter((host) => isAllowed(state, role, gates, host));

/** What ports and other pods allow to the next pod of the role. */
function isAllowed(
  { hostPorts }: RehearsalState,
  { cls: { spec } }: Role,
  gates: readonly Gate[],
  host: number,
): boolean {
  if (gates.length > 0 && !isOpen(gates, host)) return false;
  return spec.hostPorts.length === 0 || !takenPort(spec.hostPorts, hostPorts[host] ?? []);
}

function openTo(state: RehearsalState, role: Role): number[] {
  const gates = gatesFor(role, state);
  return [...role.hosts].filter((host) => isAllowed(state, role, gates, host));
}
