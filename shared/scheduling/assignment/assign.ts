import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { countFits } from '../data-structures/resource-vectors.ts';
import { allocateDevicesOnNode, countPodsWithDevices } from '../devices/device-room.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { isBufferPodSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createTooMuchWorkReason } from '../pods/pod-complexity.ts';
import type { TopologyDomains } from '../topology/domain-choice.ts';
import { findLeadingCandidates } from '../topology/domain-choice.ts';
import {
  computeHostRoom,
  countsOnHost,
  findPortConflict,
  recordPods,
} from '../topology/host-rules.ts';
import type { Topology, TopologyGroup } from '../topology/topology.ts';
import { createNodeRoomTracker, type NodeRoomTracker } from './node-room-tracker.ts';
import { sortForPlacement } from './placement-order.ts';
import { addPodsToGroup, countPods, type PodGroup } from './pod-groups.ts';
import {
  type AttemptContext,
  findOrCreatePodGroup,
  isInDomains,
  listLevelFrom,
  type RelaxationAttempt,
  rankAttempts,
  toDomainKey,
} from './relaxation-attempts.ts';

/**
 * The pods of a batch by result: on existing nodes, in pod groups for new nodes, or without a
 * place.
 */
export interface Assignment {
  readonly placed: NodeRoomTracker['placed'];
  readonly podGroups: readonly PodGroup[];
  readonly unassigned: ReadonlyMap<PodClass, number>;
}

export interface AssignmentRules {
  /** Excludes existing nodes from the batch for reasons beyond kube-scheduler's filters. */
  readonly mayReceive: (node: ExistingNode) => boolean;
  /**
   * If false, pods that existing nodes cannot take stay unassigned, and the first class with such
   * pods ends the assignment.
   */
  readonly mayLaunch: boolean;
  /** The zone of all new nodes; any zone if `undefined`. */
  readonly launchZone: string | undefined;
  /**
   * Maximum number of pods on new nodes for each relaxation and domain, learnt from earlier
   * packings.
   */
  readonly caps: DomainCaps;
  /** Orders classes before the placement order is applied. */
  readonly compareOrder: (a: PodClass, b: PodClass) => number;
}

/** By class, then by `toCapKey`. */
export type DomainCaps = ReadonlyMap<PodClass, ReadonlyMap<string, number>>;

export const toCapKey = ({
  relaxationIndex,
  domainKey,
}: Pick<PodGroup, 'relaxationIndex' | 'domainKey'>): string => `${relaxationIndex} ${domainKey}`;

/** The key of the cap on all relaxations and domains of a class together. */
export const ALL_DOMAINS = 'all';

/**
 * Chooses the topology domains of each class, fills existing nodes, and returns the remaining pods
 * as pod groups for new nodes. An existing node is always preferred to a new node, because it costs
 * nothing extra.
 */
export function assign(
  problem: Problem,
  classes: readonly PodClass[],
  topology: Topology,
  { mayReceive, mayLaunch, launchZone, caps, compareOrder }: AssignmentRules,
): Assignment {
  const nodes = problem.existingNodes.filter((node) => !node.leaving && mayReceive(node));
  const roomTracker = createNodeRoomTracker();
  const podGroups: PodGroup[] = [];
  const unassigned = new Map<PodClass, number>();
  const awaited = new Set<TopologyGroup>();
  const shared = {
    problem,
    topology,
    nodes,
    roomTracker,
    podGroups,
    mayLaunch,
    launchZone,
    awaited,
  };
  const ordered = sortForPlacement(classes, problem.snapshot.namespaces).toSorted(compareOrder);
  // Buffer pods are placed last: other pods must not have affinity to them.
  for (const isRoom of [false, true]) {
    let remainingClasses = ordered.filter(({ spec }) => isBufferPodSpec(spec) === isRoom);
    while (remainingClasses.length > 0) {
      for (const cls of remainingClasses) {
        const remaining = assignWithinLimit({ ...shared, cls, cap: caps.get(cls) ?? NO_CAPS });
        if (remaining === 0) unassigned.delete(cls);
        else unassigned.set(cls, remaining);
        if (remaining > 0 && !mayLaunch)
          return { placed: roomTracker.placed, podGroups, unassigned };
      }
      const waitingForOthers = remainingClasses.filter((cls) =>
        isWaitingForOthers(cls, unassigned),
      );
      // If no pod was placed in this round, the remaining pods wait for pods that will not come.
      remainingClasses = waitingForOthers.length < remainingClasses.length ? waitingForOthers : [];
    }
  }
  return { placed: roomTracker.placed, podGroups, unassigned };
}

/** Affinity forms chains, so the pods that a class must join may be placed after it. */
const isWaitingForOthers = (cls: PodClass, unassigned: ReadonlyMap<PodClass, number>): boolean =>
  cls.spec.podAffinity.length > 0 && unassigned.get(cls) === cls.pods.length;

interface AssignmentWork extends AttemptContext {
  readonly podGroups: PodGroup[];
  readonly mayLaunch: boolean;
  readonly launchZone: string | undefined;
  readonly cap: ReadonlyMap<string, number>;
  /**
   * Affinity rules on the hostname whose pods wait for a new node: the next pods must join that
   * node.
   */
  readonly awaited: Set<TopologyGroup>;
}

const NO_CAPS: ReadonlyMap<string, number> = new Map();

/**
 * Assigns a class with the operations that one class may take. A class that needs more keeps the
 * places that it has, and is not tried again.
 *
 * @returns the number of pods without a place
 */
function assignWithinLimit(context: AssignmentWork): number {
  const { cls, problem } = context;
  const { work, tooComplex, classLimit: limit } = problem;
  if (tooComplex.has(cls.spec)) return countWithoutPlace(context);
  const before = work.spent();
  try {
    const assigned = work.tryWithin(limit, () => ({ remaining: assignClass(context) }));
    if (assigned) return assigned.remaining;
  } finally {
    recordWork(cls, work.spent() - before, problem);
  }
  tooComplex.set(cls.spec, createTooMuchWorkReason('operations', limit));
  return countWithoutPlace(context);
}

/** Classes that take fewer operations are not recorded: all pods of a plan may be of such classes. */
const MANY_OPERATIONS = 20_000;

function recordWork({ pods }: PodClass, operations: number, { measuredWork }: Problem): void {
  if (operations < MANY_OPERATIONS) return;
  for (const pod of pods) measuredWork.set(pod, operations);
}

function countWithoutPlace({ cls, roomTracker, podGroups }: AssignmentWork): number {
  let remaining = cls.pods.length;
  for (const counts of roomTracker.placed.values()) remaining -= counts.get(cls) ?? 0;
  for (const podGroup of podGroups) if (podGroup.cls === cls) remaining -= podGroup.count;
  return remaining;
}

/**
 * @returns the number of pods that no relaxation could place
 */
function assignClass(context: AssignmentWork): number {
  const { pods, relaxations } = context.cls;
  let remaining = pods.length;
  for (let relaxed = 0; relaxed < relaxations.length && remaining > 0; ) {
    const level = listLevelFrom(relaxations, relaxed);
    const attempts = rankAttempts(context, level);
    while (remaining > 0) {
      const placed = placeNextPods(context, attempts, remaining);
      if (placed === 0) break;
      remaining -= placed;
    }
    relaxed += level.length;
  }
  return remaining;
}

/**
 * Tries the domains in order of preference; room on any existing node is preferred to a new node.
 */
function placeNextPods(
  context: AssignmentWork,
  attempts: readonly RelaxationAttempt[],
  remaining: number,
): number {
  const candidatesByAttempt = attempts.map((attempt) =>
    listCandidates(context, attempt, remaining),
  );
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

function listCandidates(
  context: AssignmentWork,
  attempt: RelaxationAttempt,
  remaining: number,
): Candidates {
  const { choice } = attempt;
  const candidates = choice.candidates();
  if (!choice.isCoupled || remaining === 1 || candidates.length < 2) {
    return { attempt, leading: candidates, others: [] };
  }
  const isPossible = (domains: TopologyDomains) =>
    attempt.suitableNodes.some((node) => isInDomains(node, domains)) ||
    (mayLaunchIn(domains, context) &&
      countRoomOnNewNodes(context, findOrCreatePodGroup(context, attempt, domains)) > 0);
  const leading = findLeadingCandidates(
    candidates,
    choice,
    isPossible,
    Math.min(remaining - 1, MAX_LOOK_AHEAD),
  );
  return { attempt, leading, others: candidates.filter((domains) => !leading.includes(domains)) };
}

function placeOnExistingNodes(
  context: AssignmentWork,
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
  context: AssignmentWork,
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
    for (const group of attempt.rules.countedBy)
      if (isHostAffinity(group)) context.awaited.add(group);
    return pods;
  }
  return 0;
}

function mayLaunchIn(domains: TopologyDomains, { mayLaunch, launchZone }: AssignmentWork): boolean {
  const zone = domains.get(ZONE_LABEL);
  return mayLaunch && (launchZone === undefined || zone === undefined || zone === launchZone);
}

const isHostAffinity = ({ kind, key }: TopologyGroup): boolean =>
  kind === 'affinity' && key === HOSTNAME_LABEL;

const countRoomOnNewNodes = (context: AssignmentWork, podGroup: PodGroup): number =>
  podGroup.options.length > 0 ? countRoomUnderCaps(context, podGroup) : 0;

function countRoomUnderCaps({ cls, cap, podGroups }: AssignmentWork, podGroup: PodGroup): number {
  const here = (cap.get(toCapKey(podGroup)) ?? Infinity) - podGroup.count;
  const anywhere = cap.get(ALL_DOMAINS);
  if (anywhere === undefined) return here;
  const others = podGroups.filter((other) => other.cls === cls);
  return Math.min(here, anywhere - countPods(others));
}

function fillExistingNodes(
  context: AssignmentWork,
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

const countPortRoom = (
  { spec }: PodClass,
  node: ExistingNode,
  roomTracker: NodeRoomTracker,
): number => {
  if (spec.hostPorts.length === 0) return Infinity;
  return findPortConflict(spec.hostPorts, roomTracker.hostPorts(node)) ? 0 : 1;
};
