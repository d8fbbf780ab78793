import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { countFits } from '../data-structures/resource-vectors.ts';
import { allocateDevicesOnNode, countPodsWithDevices } from '../devices/device-room.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { TopologyDomains } from '../topology/domain-choice.ts';
import { computeHostRoom, countsOnHost, findPortConflict, recordPods } from '../topology/host-rules.ts';
import { findLeadingCandidates } from '../topology/look-ahead.ts';
import type { TopologyGroup } from '../topology/topology.ts';
import type { NodeRoomTracker } from './node-room-tracker.ts';
import { addPodsToGroup, countPods, type PodGroup } from './pod-groups.ts';
import {
  type AttemptContext,
  findOrCreatePodGroup,
  isInDomains,
  type RelaxationAttempt,
  toDomainKey,
} from './relaxation-attempts.ts';

/** The maximum number of pods on new nodes, by class and then by `toCapKey`. */
export type DomainCaps = ReadonlyMap<PodClass, ReadonlyMap<string, number>>;

export const toCapKey = ({ relaxationIndex, domainKey }: Pick<PodGroup, 'relaxationIndex' | 'domainKey'>): string =>
  `${relaxationIndex} ${domainKey}`;

/** The key of the cap on all relaxations and domains of a class together. */
export const ALL_DOMAINS = 'all';

/** A class that is being assigned, with what the classes before it have used. */
export interface PlacementContext extends AttemptContext {
  readonly podGroups: PodGroup[];
  readonly mayLaunch: boolean;
  readonly launchZone: string | undefined;
  /** The caps of this class, by `toCapKey`. */
  readonly caps: ReadonlyMap<string, number>;
  /**
   * Affinity rules on the hostname whose pods wait for a new node: the next pods must join that
   * node.
   */
  readonly awaited: Set<TopologyGroup>;
}

/**
 * Places the next pods of a class in one combination of domains. Domains are tried in order of
 * preference; room on any existing node is preferred to a new node.
 *
 * @returns the number of pods placed; 0 if none of the attempts can place one
 */
export function placeNextPods(
  context: PlacementContext,
  attempts: readonly RelaxationAttempt[],
  remaining: number,
): number {
  const candidatesByAttempt = attempts.map((attempt) => listCandidates(context, attempt, remaining));
  for (const part of ['leading', 'others'] as const) {
    for (const candidates of candidatesByAttempt) {
      const { attempt } = candidates;
      if (attempt.suitableNodes.length === 0) continue;
      const placed = placeOnExistingNodes(context, attempt, candidates[part], remaining);
      if (placed > 0) return placed;
    }
    for (const candidates of context.mayLaunch ? candidatesByAttempt : []) {
      const placed = placeOnNewNodes(context, candidates.attempt, candidates[part], remaining);
      if (placed > 0) return placed;
    }
  }
  return 0;
}

interface Candidates {
  readonly attempt: RelaxationAttempt;
  readonly leading: readonly TopologyDomains[];
  /** Used only if no leading domain is left: they leave fewer domains for the pods that follow. */
  readonly others: readonly TopologyDomains[];
}

/** Number of following pods that the domain choice considers. */
const MAX_LOOK_AHEAD = 8;

function listCandidates(context: PlacementContext, attempt: RelaxationAttempt, remaining: number): Candidates {
  const { choice } = attempt;
  const candidates = choice.candidates();
  if (!choice.isCoupled || remaining === 1 || candidates.length < 2) {
    return { attempt, leading: candidates, others: [] };
  }
  const isPossible = (domains: TopologyDomains) =>
    attempt.suitableNodes.some((node) => isInDomains(node, domains)) ||
    (mayLaunchIn(domains, context) &&
      countRoomOnNewNodes(context, findOrCreatePodGroup(context, attempt, domains)) > 0);
  const leading = findLeadingCandidates(candidates, choice, isPossible, Math.min(remaining - 1, MAX_LOOK_AHEAD));
  return { attempt, leading, others: candidates.filter((domains) => !leading.includes(domains)) };
}

function placeOnExistingNodes(
  context: PlacementContext,
  attempt: RelaxationAttempt,
  candidates: readonly TopologyDomains[],
  remaining: number,
): number {
  for (const domains of candidates) {
    const { exhausted, choice } = attempt;
    const domainKey = toDomainKey(domains);
    const skipped = exhausted.get(domainKey) ?? 0;
    const progress = { placed: 0 };
    try {
      fillExistingNodes(context, attempt, domains, choice.batch(remaining), progress);
    } finally {
      // The counts must be right even if the work limit ends the class between two nodes.
      if (progress.placed > 0) choice.record(domains, progress.placed);
    }
    context.problem.work.spend(1 + (exhausted.get(domainKey) ?? 0) - skipped);
    if (progress.placed > 0) return progress.placed;
  }
  return 0;
}

function placeOnNewNodes(
  context: PlacementContext,
  attempt: RelaxationAttempt,
  candidates: readonly TopologyDomains[],
  remaining: number,
): number {
  for (const domains of candidates) {
    if (!mayLaunchIn(domains, context)) continue;
    const podGroup = findOrCreatePodGroup(context, attempt, domains);
    const pods = Math.min(attempt.choice.batch(remaining), countRoomOnNewNodes(context, podGroup));
    if (pods <= 0) continue;
    addPodsToGroup(podGroup, pods);
    attempt.choice.record(domains, pods);
    for (const group of attempt.rules.countedBy) if (isHostAffinity(group)) context.awaited.add(group);
    return pods;
  }
  return 0;
}

function mayLaunchIn(domains: TopologyDomains, { mayLaunch, launchZone }: PlacementContext): boolean {
  const zone = domains.get(ZONE_LABEL);
  return mayLaunch && (launchZone === undefined || zone === undefined || zone === launchZone);
}

const isHostAffinity = ({ kind, key }: TopologyGroup): boolean => kind === 'affinity' && key === HOSTNAME_LABEL;

const countRoomOnNewNodes = (context: PlacementContext, podGroup: PodGroup): number =>
  podGroup.options.length > 0 ? countRoomUnderCaps(context, podGroup) : 0;

function countRoomUnderCaps({ cls, caps, podGroups }: PlacementContext, podGroup: PodGroup): number {
  const here = (caps.get(toCapKey(podGroup)) ?? Infinity) - podGroup.count;
  const anywhere = caps.get(ALL_DOMAINS);
  if (anywhere === undefined) return here;
  const others = podGroups.filter((other) => other.cls === cls);
  return Math.min(here, anywhere - countPods(others));
}

function fillExistingNodes(
  context: PlacementContext,
  attempt: RelaxationAttempt,
  domains: TopologyDomains,
  maxPods: number,
  progress: { placed: number },
): void {
  const { cls, roomTracker, awaited, problem } = context;
  const { rules, request, suitableNodes, exhausted } = attempt;
  const domainKey = toDomainKey(domains);
  let next = exhausted.get(domainKey) ?? 0;
  for (; next < suitableNodes.length && progress.placed < maxPods; next++) {
    const node = suitableNodes[next];
    if (!node || !isInDomains(node, domains)) continue;
    const host = node.labels[HOSTNAME_LABEL] ?? node.name;
    const capacity = Math.min(
      maxPods - progress.placed,
      countFits(request, roomTracker.free(node)),
      computeHostRoom(rules, countsOnHost(host, awaited)),
      countPortRoom(cls, node, roomTracker),
    );
    const room = countPodsWithDevices(cls.spec, node, roomTracker.free(node), capacity, problem);
    if (room === 0) continue;
    allocateDevicesOnNode(cls.spec, node, room, problem);
    roomTracker.put(node, cls, request, room);
    recordPods(rules, HOSTNAME_LABEL, host, room);
    progress.placed += room;
  }
  // The last node may have room left; the nodes before it are exhausted.
  exhausted.set(domainKey, progress.placed === maxPods ? next - 1 : next);
}

const countPortRoom = ({ spec }: PodClass, node: ExistingNode, roomTracker: NodeRoomTracker): number => {
  if (spec.hostPorts.length === 0) return Infinity;
  return findPortConflict(spec.hostPorts, roomTracker.hostPorts(node)) ? 0 : 1;
};
