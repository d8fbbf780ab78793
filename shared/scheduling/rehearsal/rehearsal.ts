import type { HostPort } from '../../model/pod.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { takenPort } from '../topology/host-ports.ts';
import { at, type Vector } from '../vectors.ts';
import type { Role, Stage, Tally } from './stage.ts';

/** Pods that were left over, with the host that would have taken them if it had more room. */
export interface Displaced {
  readonly cls: PodClass;
  /** Numbers of the hosts that suit in everything but room. */
  readonly hosts: readonly number[];
}

/**
 * Binds the pods one by one in the given order, as kube-scheduler does it: to the node with the
 * best score among those that pass its filters, whatever node the plan meant them for.
 *
 * Scores are those for free and for balanced resources, for preferred node terms and for taints;
 * ScheduleAnyway and preferences among pods are left out.
 *
 * @see kube-scheduler 1.36: LeastAllocated weighs as much as BalancedAllocation, which asks whether
 *   the pod brings CPU and memory closer together
 */
export function rehearse(stage: Stage, order: readonly PodClass[]): Displaced[] {
  const state = startState(stage);
  let waiting = order.flatMap((cls) => stage.roles.get(cls) ?? []);
  for (;;) {
    const left = waiting.filter((role) => !bind(stage, state, role));
    // Whoever waits for others is tried again once those are bound.
    if (left.length === waiting.length || left.length === 0) {
      return left.map((role) => ({ cls: role.cls, hosts: hostsWithoutRoom(state, role) }));
    }
    waiting = left;
  }
}

interface State {
  readonly free: readonly Vector[];
  readonly hostPorts: readonly HostPort[][];
  readonly counts: ReadonlyMap<Tally, Int32Array>;
  readonly owners: ReadonlyMap<Tally, Int32Array>;
  /** Where the search for the next host begins: equal scores are decided by chance. */
  turn: number;
}

const startState = ({ hosts, tallies }: Stage): State => ({
  free: hosts.map(({ kind }) => kind.free.slice()),
  hostPorts: hosts.map(({ kind }) => [...kind.hostPorts]),
  counts: new Map(tallies.map((tally) => [tally, tally.counts.slice()])),
  owners: new Map(tallies.map((tally) => [tally, tally.owners.slice()])),
  turn: 0,
});

function bind(stage: Stage, state: State, role: Role): boolean {
  const host = bestHost(stage, state, role);
  if (host === undefined) return false;
  const free = state.free[host];
  if (free)
    for (const column of role.asked) free[column] = at(free, column) - at(role.request, column);
  state.hostPorts[host]?.push(...role.cls.spec.hostPorts);
  for (const tally of role.countedBy) if (tally.counted[host]) bump(state.counts, tally, host);
  for (const { tally } of role.owned) {
    if (tally.group.kind === 'anti-affinity') bump(state.owners, tally, host);
  }
  return true;
}

function bump(amounts: ReadonlyMap<Tally, Int32Array>, tally: Tally, host: number): void {
  const domain = tally.domainOf[host] ?? -1;
  const here = amounts.get(tally);
  if (here && domain >= 0) here[domain] = (here[domain] ?? 0) + 1;
}

function bestHost(stage: Stage, state: State, role: Role): number | undefined {
  const allows = topologyFilter(state, role);
  const { hosts, liking } = role;
  state.turn = (state.turn * 31 + 17) % 65_521;
  const start = hosts.length > 0 ? state.turn % hosts.length : 0;
  let best: number | undefined;
  let bestScore = -Infinity;
  for (let step = 0; step < hosts.length; step++) {
    const position = start + step < hosts.length ? start + step : start + step - hosts.length;
    const host = hosts[position] ?? 0;
    const free = state.free[host];
    if (!free || !hasRoom(role, free)) continue;
    const score =
      (liking[position] ?? 0) + resourceScore(role, free, stage.hosts[host]?.kind.allocatable);
    if (score <= bestScore || !hasPorts(state, role, host) || !allows(host)) continue;
    [best, bestScore] = [host, score];
  }
  return best;
}

function hostsWithoutRoom(state: State, role: Role): number[] {
  const allows = topologyFilter(state, role);
  return [...role.hosts].filter((host) => hasPorts(state, role, host) && allows(host));
}

function hasRoom({ request, asked }: Role, free: Vector): boolean {
  for (const column of asked) if (at(request, column) > at(free, column)) return false;
  return true;
}

const hasPorts = ({ hostPorts }: State, { cls }: Role, host: number): boolean =>
  cls.spec.hostPorts.length === 0 || !takenPort(cls.spec.hostPorts, hostPorts[host] ?? []);

/** Columns of CPU and memory. */
const [CPU_COLUMN, MEMORY_COLUMN] = [0, 1];

function resourceScore(role: Role, free: Vector, allocatable: Vector = free): number {
  const cpu = shareTaken(CPU_COLUMN, free, allocatable);
  const memory = shareTaken(MEMORY_COLUMN, free, allocatable);
  const cpuWith = cpu + shareAsked(CPU_COLUMN, role, allocatable);
  const memoryWith = memory + shareAsked(MEMORY_COLUMN, role, allocatable);
  const unused = Math.floor((1 - cpuWith) * 100) + Math.floor((1 - memoryWith) * 100);
  const gain = evenness(cpuWith, memoryWith) - evenness(cpu, memory);
  return Math.floor(unused / 2) + 50 + Math.trunc((50 + gain) / 2);
}

const evenness = (cpu: number, memory: number): number =>
  Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);

function shareTaken(column: number, free: Vector, allocatable: Vector): number {
  const all = at(allocatable, column);
  return all > 0 ? (all - at(free, column)) / all : 1;
}

function shareAsked(column: number, { request }: Role, allocatable: Vector): number {
  const all = at(allocatable, column);
  return all > 0 ? at(request, column) / all : 0;
}

/** What spread, affinity and anti-affinity allow to the next pod of the role. */
function topologyFilter(state: State, { owned, barredBy }: Role): (host: number) => boolean {
  const checks = [
    ...owned.map(({ tally, selectsSelf }) => ownRule(state, tally, selectsSelf, owned)),
    ...barredBy.map((tally) => (host: number) => {
      const domain = tally.domainOf[host] ?? -1;
      return domain < 0 || (state.owners.get(tally)?.[domain] ?? 0) === 0;
    }),
  ];
  return (host) => checks.every((check) => check(host));
}

function ownRule(
  { counts }: State,
  tally: Tally,
  selectsSelf: boolean,
  owned: Role['owned'],
): (host: number) => boolean {
  const here = counts.get(tally) ?? tally.counts;
  const { group, domainOf, present } = tally;
  switch (group.kind) {
    case 'spread': {
      let least = present.length < Math.max(1, group.minDomains) ? 0 : Infinity;
      for (const domain of present) least = Math.min(least, here[domain] ?? 0);
      const most = group.maxSkew + least - (selectsSelf ? 1 : 0);
      return (host) => {
        const domain = domainOf[host] ?? -1;
        return domain >= 0 && (here[domain] ?? 0) <= most;
      };
    }
    case 'anti-affinity':
      return (host) => {
        const domain = domainOf[host] ?? -1;
        return domain < 0 || (here[domain] ?? 0) === 0;
      };
    case 'affinity': {
      const founds =
        owned.every(
          ({ tally: other, selectsSelf: self }) => other.group.kind !== 'affinity' || self,
        ) &&
        !tally.elsewhere &&
        here.every((count) => count === 0);
      return (host) => {
        const domain = domainOf[host] ?? -1;
        return domain >= 0 && (founds || (here[domain] ?? 0) > 0);
      };
    }
  }
}
