import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { allowsAbsence, allowsValue, EXISTS } from '../../model/requirements/requirement.ts';
import { createNodeRoomTracker, type NodeRoomTracker } from '../assignment/node-room-tracker.ts';
import type { PodGroup } from '../assignment/pod-groups.ts';
import { setPodCount } from '../assignment/pod-groups.ts';
import { createPodGroup, isInDomains, type RelaxedNeeds, toDomainKey } from '../assignment/relaxation-attempts.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { createPackingState, openNewNode, type PackingState } from '../packing/new-nodes/packing-state.ts';
import { placePods } from '../packing/new-nodes/place-pods.ts';
import type { TopologyDomains } from '../topology/domain-choice.ts';
import { createDomainChoice, type DomainChoice } from '../topology/domain-choice.ts';
import { computeHostRoom, countsOnHost, recordPods } from '../topology/host-rules.ts';
import type { Topology, TopologyGroup } from '../topology/topology.ts';
import { findCheapestZone, type InFlightClaim } from './in-flight-claims.ts';
import type { PodRequirements } from './pod-requirements.ts';
import type { KarpenterPlacement } from './simulate-karpenter.ts';

/** A run as our own assignment: pods on existing nodes, new nodes, and the pod groups on these. */
export interface ReplayedPlacements {
  readonly placed: NodeRoomTracker['placed'];
  readonly packingState: PackingState;
  /** The pod groups on new nodes; their counts are 0. */
  readonly podGroups: readonly PodGroup[];
}

/**
 * Replays a simulated run pod by pod under our own rules. They ask for more than Karpenter's: a pod
 * that topology rules count must have a fixed zone, and a new node has its zone from the start.
 *
 * @returns undefined if any pod may not be where the run put it
 */
export function replayPlacements(
  placements: readonly KarpenterPlacement[],
  topology: Topology,
  problem: Problem,
): ReplayedPlacements | undefined {
  const state: ReplayState = {
    ...{
      problem,
      topology,
      roomTracker: createNodeRoomTracker(),
      packingState: createPackingState(problem),
    },
    ...{ newNodes: new Map(), replayedByPod: new Map(), affinityGroupsWaiting: new Set() },
  };
  const isComplete = placements.every((one) =>
    'node' in one
      ? replayOnExistingNode(state, one.requirements, one.node)
      : replayOnNewNode(state, one.requirements, one.claim),
  );
  if (!isComplete) return undefined;
  const podGroups = [...state.replayedByPod.values()].flatMap((replayed) => [...replayed.podGroups.values()]);
  return { placed: state.roomTracker.placed, packingState: state.packingState, podGroups };
}

interface ReplayState {
  readonly problem: Problem;
  readonly topology: Topology;
  readonly roomTracker: NodeRoomTracker;
  readonly packingState: PackingState;
  readonly newNodes: Map<InFlightClaim, NewNode>;
  readonly replayedByPod: Map<PodRequirements, ReplayedRequirements>;
  /**
   * Affinity rules on the hostname whose pods are on a new node. Other pods of the rule must join
   * that node.
   */
  readonly affinityGroupsWaiting: Set<TopologyGroup>;
}

/** The requirements of a pod, with the domain choice and the pod groups built for them. */
interface ReplayedRequirements extends RelaxedNeeds {
  readonly choice: DomainChoice;
  /** By domain key. */
  readonly podGroups: Map<string, PodGroup>;
}

function findOrCreateReplayed(
  { replayedByPod, topology, problem }: ReplayState,
  pod: PodRequirements,
): ReplayedRequirements {
  return getOrCreate(replayedByPod, pod, () => {
    const { cls, relaxation, request } = pod;
    const rules = topology.of(cls, relaxation);
    return {
      ...{ relaxationIndex: cls.relaxations.indexOf(relaxation), relaxation, rules, request },
      choice: createDomainChoice(rules, relaxation, () => 0, problem.work),
      podGroups: new Map<string, PodGroup>(),
    };
  });
}

/**
 * Resources, ports, taints and labels need no second check: an existing node leaves no choice open.
 */
function replayOnExistingNode(state: ReplayState, pod: PodRequirements, node: ExistingNode): boolean {
  const { rules, choice } = findOrCreateReplayed(state, pod);
  const domains = choice.candidates().find((one) => isInDomains(node, one));
  const host = node.labels[HOSTNAME_LABEL] ?? node.name;
  if (!domains || computeHostRoom(rules, countsOnHost(host, state.affinityGroupsWaiting)) < 1) return false;
  state.roomTracker.put(node, pod.cls, pod.request, 1);
  recordPods(rules, HOSTNAME_LABEL, host, 1);
  choice.record(domains, 1);
  return true;
}

function replayOnNewNode(state: ReplayState, pod: PodRequirements, claim: InFlightClaim): boolean {
  const { problem, packingState, newNodes, affinityGroupsWaiting } = state;
  // Karpenter checks existing nodes with one required term at a time. kube-scheduler could bind
  // this pod there by another term, so that a new node would be wrong by our rules.
  if (problem.existingNodes.length > 0 && hasOtherTerms(pod)) return false;
  const replayed = findOrCreateReplayed(state, pod);
  const domains = replayed.choice.candidates().find(createDomainTest(claim, problem));
  const podGroup = domains && findOrCreatePodGroup(domains, replayed, pod, problem);
  const option = podGroup?.options.find(({ template }) => template === claim.template);
  const newNode = newNodes.get(claim) ?? (option && openNewNode(packingState, option));
  if (!newNode || !podGroup) return false;
  newNodes.set(claim, newNode);
  setPodCount(podGroup, 1);
  if (placePods(packingState, newNode, podGroup) === 0) return false;
  replayed.choice.record(domains, 1);
  for (const group of replayed.rules.countedBy) {
    if (group.kind === 'affinity' && group.key === HOSTNAME_LABEL) affinityGroupsWaiting.add(group);
  }
  return true;
}

/** True if the pod has other required terms of the same relaxation level. */
const hasOtherTerms = ({ cls, relaxation }: PodRequirements): boolean =>
  cls.relaxations.some((other) => other !== relaxation && other.level === relaxation.level);

function findOrCreatePodGroup(
  domains: TopologyDomains,
  replayed: ReplayedRequirements,
  { cls }: PodRequirements,
  problem: Problem,
): PodGroup {
  const domainKey = toDomainKey(domains);
  return getOrCreate(replayed.podGroups, domainKey, () => createPodGroup(cls, replayed, domains, problem));
}

/**
 * Creates the test whether chosen domains lead to the final claim, in the zone where it is
 * cheapest.
 */
function createDomainTest(claim: InFlightClaim, problem: Problem): (domains: TopologyDomains) => boolean {
  const zone = findCheapestZone(claim, problem);
  return (domains) =>
    [...domains].every(([key, domain]) => {
      if (key === ZONE_LABEL) return domain === zone;
      const requirement = claim.requirements.get(key);
      if (domain === undefined) return !requirement || allowsAbsence(requirement);
      return allowsValue(requirement ?? EXISTS, domain);
    });
}
