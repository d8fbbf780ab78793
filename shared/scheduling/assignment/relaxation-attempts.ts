import { ownValue } from '../../model/own-value.ts';
import { isNotIn } from '../../model/requirements/requirement.ts';
import { conjoinRequirements, NO_REQUIREMENTS, type Requirements } from '../../model/requirements/requirements.ts';
import { hasRoom, listRequestedColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { admits, type ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { TopologyDomains } from '../topology/domain-choice.ts';
import { createDomainChoice, type DomainChoice } from '../topology/domain-choice.ts';
import type { ClassTopology, Topology, TopologyGroup } from '../topology/topology.ts';
import { computeFairPrice } from './fair-price.ts';
import { sortByFillOrder } from './fill-order.ts';
import type { NodeRoomTracker } from './node-room-tracker.ts';
import { listPoolOptions, type PodGroup } from './pod-groups.ts';

/** The inputs of the attempts for one class. */
export interface AttemptContext {
  readonly cls: PodClass;
  readonly problem: Problem;
  readonly topology: Topology;
  readonly nodes: readonly ExistingNode[];
  readonly roomTracker: NodeRoomTracker;
}

/**
 * An attempt to place a class under one relaxation, with the existing nodes that it suits and the
 * pod groups that it has created, by domain key.
 */
export interface RelaxationAttempt extends RelaxedNeeds {
  readonly choice: DomainChoice;
  readonly suitableNodes: readonly ExistingNode[];
  /**
   * By domain key, the number of leading `suitableNodes` that have no room left; they are skipped.
   */
  readonly exhausted: Map<string, number>;
  readonly podGroups: Map<string, PodGroup>;
}

/** Requirements of the pods under one relaxation. */
export interface RelaxedNeeds {
  /** Index into the relaxations of the class. */
  readonly relaxationIndex: number;
  readonly relaxation: Relaxation;
  readonly rules: ClassTopology;
  readonly request: Vector;
}

type IndexedRelaxation = readonly [relaxationIndex: number, relaxation: Relaxation];

/** Lists the relaxations of the level that begins at `start`; any of them is acceptable. */
export function listLevelFrom(relaxations: readonly Relaxation[], start: number): IndexedRelaxation[] {
  const sameLevel: IndexedRelaxation[] = [];
  for (let relaxationIndex = start; relaxationIndex < relaxations.length; relaxationIndex++) {
    const relaxation = relaxations[relaxationIndex];
    if (!relaxation || relaxation.level !== relaxations[start]?.level) break;
    sameLevel.push([relaxationIndex, relaxation]);
  }
  return sameLevel;
}

/**
 * Creates the attempts of one level, ordered by the weight and then the price of their best new
 * nodes.
 */
export function rankAttempts(context: AttemptContext, level: readonly IndexedRelaxation[]): RelaxationAttempt[] {
  const attempts = level.map(([relaxationIndex, relaxation]) => createAttempt(context, relaxationIndex, relaxation));
  if (attempts.length === 1) return attempts;
  const ranked = attempts.map((attempt) => ({ attempt, ...findBestNewNode(context, attempt) }));
  return ranked.toSorted((a, b) => b.weight - a.weight || a.usd - b.usd).map(({ attempt }) => attempt);
}

function createAttempt(context: AttemptContext, relaxationIndex: number, original: Relaxation): RelaxationAttempt {
  const { cls, topology, problem } = context;
  const request = toVector(problem.columns, cls.spec.requests);
  problem.work.spend(context.nodes.length);
  const rules = topology.of(cls, original);
  const relaxation = withoutAvoidedDomains(original, rules.avoidedGroups);
  const needs = { relaxationIndex, relaxation, rules, request };
  const usdIn = (key: string, domain: string) => findBestNewNode(context, needs, new Map([[key, domain]])).usd;
  return {
    ...needs,
    suitableNodes: listSuitableNodes(context, needs),
    choice: createDomainChoice(rules, relaxation, usdIn, problem.work),
    podGroups: new Map(),
    exhausted: new Map(),
  };
}

/** Excludes the domains that have pods which the class prefers to avoid. */
function withoutAvoidedDomains(relaxation: Relaxation, avoided: readonly TopologyGroup[]): Relaxation {
  if (avoided.length === 0) return relaxation;
  const exclusions = avoided.map(({ key, counts }): Requirements => {
    const occupied = [...counts].filter(([, count]) => count > 0).map(([domain]) => domain);
    return occupied.length > 0 ? new Map([[key, isNotIn(...occupied)]]) : NO_REQUIREMENTS;
  });
  const requirements = conjoinRequirements(relaxation.requirements, ...exclusions);
  return { ...relaxation, requirements };
}

/** Computes the lowest price per pod on a new node of the heaviest NodePool. */
function findBestNewNode(
  { cls, problem }: AttemptContext,
  attempt: RelaxedNeeds,
  topologyDomains: TopologyDomains = NO_TOPOLOGY_DOMAINS,
): { readonly weight: number; readonly usd: number } {
  const podGroup = createPodGroup(cls, attempt, topologyDomains, problem);
  const weight = Math.max(...podGroup.options.map(({ template }) => template.pool.weight));
  const prices = podGroup.options
    .filter(({ template }) => template.pool.weight === weight)
    .map((option) => computeFairPrice(podGroup, option, problem));
  return { weight, usd: Math.min(...prices) };
}

const NO_TOPOLOGY_DOMAINS: TopologyDomains = new Map();

export const toDomainKey = (topologyDomains: TopologyDomains): string =>
  topologyDomains.size > 0 ? [...topologyDomains].join() : '';

export const isInDomains = (node: ExistingNode, topologyDomains: TopologyDomains): boolean => {
  for (const [key, domain] of topologyDomains) if (ownValue(node.labels, key) !== domain) return false;
  return true;
};

export function findOrCreatePodGroup(
  { cls, problem, podGroups }: Pick<AttemptContext, 'cls' | 'problem'> & { readonly podGroups: PodGroup[] },
  attempt: RelaxationAttempt,
  topologyDomains: TopologyDomains,
): PodGroup {
  const domainKey = toDomainKey(topologyDomains);
  const cached = attempt.podGroups.get(domainKey);
  if (cached) return cached;

  const podGroup = createPodGroup(cls, attempt, topologyDomains, problem);
  attempt.podGroups.set(domainKey, podGroup);
  if (podGroup.options.length > 0) podGroups.push(podGroup);
  return podGroup;
}

/** The remaining part of a pool for a pod is found by sets of all instance types. */
const OPERATIONS_PER_POOL = 300;

export function createPodGroup(
  cls: PodClass,
  attempt: RelaxedNeeds,
  topologyDomains: TopologyDomains,
  problem: Problem,
): PodGroup {
  const { relaxationIndex, relaxation, rules, request } = attempt;
  problem.work.spend(OPERATIONS_PER_POOL * (1 + problem.nodeTemplates.length));
  const options = listPoolOptions(cls, relaxation, topologyDomains, problem);
  const shape = {
    request,
    requestedColumns: listRequestedColumns(request),
    topology: rules,
    options,
  };
  return {
    cls,
    relaxationIndex,
    topologyDomains,
    domainKey: toDomainKey(topologyDomains),
    ...shape,
    count: 0,
  };
}

/** Lists the existing nodes that suit the class, whatever else is placed on them, in the fill order. */
function listSuitableNodes(
  { cls, nodes, roomTracker, problem }: AttemptContext,
  { relaxation, request }: RelaxedNeeds,
): readonly ExistingNode[] {
  if (nodes.length === 0 || cls.spec.schedulingGates.length > 0 || cls.spec.resolved?.refusal) return [];
  const requestedColumns = listRequestedColumns(request);
  const suitable = nodes.filter(
    (node) =>
      // Most nodes are full before any pod is placed; this check is cheaper than the next one.
      hasRoom(node.free, request, requestedColumns) &&
      hasRoom(roomTracker.free(node), request, requestedColumns) &&
      admits(node, relaxation),
  );
  return sortByFillOrder(suitable, (node) => roomTracker.free(node), problem);
}
