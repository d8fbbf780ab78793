import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { getOrCreate, memoize } from '../../model/memo.ts';
import type { HostPort } from '../../model/pods/pod.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';
import { addCount } from './topology-rules.ts';

/** The counts of hostname rules on one existing or planned node. */
interface HostCounts {
  count(group: TopologyGroup): number;
  owners(group: TopologyGroup): number;
  /** True if pods that the affinity rule selects run or are planned on any node. */
  hasPods(group: TopologyGroup): boolean;
}

/**
 * @param awaitedGroups - rules whose pods wait for a node that is not planned yet
 */
export const countsOnHost = (host: string, awaitedGroups: ReadonlySet<TopologyGroup> = new Set()): HostCounts => ({
  count: ({ counts }) => counts.get(host) ?? 0,
  owners: ({ owners }) => owners.get(host) ?? 0,
  hasPods: (group) => awaitedGroups.has(group) || hasPodsAnywhere(group),
});

export const hasPodsAnywhere = ({ counts }: TopologyGroup): boolean => {
  for (const count of counts.values()) if (count > 0) return true;
  return false;
};

/**
 * Computes how many more pods of the class one node takes under the rules with the hostname key.
 */
export function computeHostRoom({ owned, barredBy }: ClassTopology, host: HostCounts): number {
  for (const group of barredBy) {
    if (group.key === HOSTNAME_LABEL && host.owners(group) > 0) return 0;
  }
  let room = Infinity;
  for (const { group, selectsSelf } of owned) {
    if (group.key === HOSTNAME_LABEL) room = Math.min(room, computeRoomUnder(group, selectsSelf, host));
  }
  return Math.max(0, room);
}

function computeRoomUnder(group: TopologyGroup, selectsSelf: boolean, host: HostCounts): number {
  const present = host.count(group);
  switch (group.kind) {
    // A new node can always be added, so the least loaded host counts as empty.
    case 'spread':
      if (selectsSelf) return group.maxSkew - present;
      return present <= group.maxSkew ? Infinity : 0;
    case 'anti-affinity':
      if (present > 0) return 0;
      return selectsSelf ? 1 : Infinity;
    case 'affinity':
      return present > 0 || (selectsSelf && !host.hasPods(group)) ? Infinity : 0;
  }
}

/** Counts pods of the class that were placed in a domain of `key`. */
export function recordPods(rules: ClassTopology, key: string, domain: string, pods: number): void {
  for (const group of rules.countedBy) if (group.key === key) addCount(group.counts, domain, pods);
  for (const { group } of rules.owned) {
    if (group.key === key && group.kind === 'anti-affinity') addCount(group.owners, domain, pods);
  }
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** @see kube-scheduler, NodePorts: an unspecified address clashes with every address. */
const isConflicting = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || UNSPECIFIED.has(a.ip) || UNSPECIFIED.has(b.ip));

/**
 * Returns the first requested port that conflicts with a used port. Takes as many steps as there
 * are used ports.
 *
 * @param requestedPorts - the ports of a pod's spec: their index is cached by the list
 */
export function findPortConflict(
  requestedPorts: readonly HostPort[],
  usedPorts: readonly HostPort[],
): HostPort | undefined {
  if (requestedPorts.length === 0 || usedPorts.length === 0) return undefined;
  const positionsByNumber = indexPorts(requestedPorts);
  let first = requestedPorts.length;
  for (const used of usedPorts) {
    for (const position of positionsByNumber.get(used.port) ?? NO_POSITIONS) {
      const requested = requestedPorts[position];
      if (position < first && requested && isConflicting(requested, used)) first = position;
    }
  }
  return requestedPorts[first];
}

/** The positions of the ports in their list, by port number. */
const indexPorts = memoize((ports: readonly HostPort[]): ReadonlyMap<number, readonly number[]> => {
  const positions = new Map<number, number[]>();
  ports.forEach(({ port }, position) => {
    getOrCreate(positions, port, () => []).push(position);
  });
  return positions;
});

const NO_POSITIONS: readonly number[] = [];
