import { getOrCreate } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import {
  type Bitset,
  intersectInPlace,
  intersection,
  isEmptyBitset,
  isSameBitset,
  union,
} from '../data-structures/bitset.ts';
import { toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { withTypesHavingDevices } from '../devices/device-room.ts';
import { memoizePerSnapshot, type Problem } from '../input/problem.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import { type Narrowed, narrowTemplate, type Opening, pinDomain } from '../instance-types/narrowing.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { dropBareMetal } from '../instance-types/type-index.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { countTopologyRules, type Relaxation } from '../pods/relaxations.ts';
import type { TopologyDomains } from '../topology/domain-choice.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import type { ClassTopology } from '../topology/topology.ts';

/**
 * A NodePool that can launch a node for the pods of a group, and the part of the pool that is left
 * for them.
 */
export interface PoolOption extends Opening {
  /** The types before those that are too small for the pods are removed. */
  readonly allowed: Bitset;
}

/**
 * Equal pods that need new nodes of the same kind: same class, same relaxation, same topology
 * domains.
 */
export interface PodGroup {
  readonly cls: PodClass;
  /** Index into the relaxations of the class. */
  readonly relaxationIndex: number;
  readonly topologyDomains: TopologyDomains;
  /** The topology domains as text; empty if the pods may be in any domain. */
  readonly domainKey: string;
  readonly request: Vector;
  /** The columns of `request` that are not 0. */
  readonly requestedColumns: readonly number[];
  readonly topology: ClassTopology;
  /** Options of the heaviest pool come first. */
  readonly options: readonly PoolOption[];
  /** Pods that wait for a node. Changed only by the functions below. */
  readonly count: number;
}

/** The same object inside this file, where it may be written. */
interface MutablePodGroup extends PodGroup {
  count: number;
}

export function setPodCount(podGroup: MutablePodGroup, count: number): void {
  podGroup.count = count;
}

export function addPodsToGroup(podGroup: MutablePodGroup, pods: number): void {
  podGroup.count += pods;
}

/** Counts down pods that were placed on a node. */
export function takePods(podGroup: MutablePodGroup, pods: number): void {
  podGroup.count -= pods;
}

/** True if one is a copy of the other: each construction counts pods down on its own copies. */
export const isSamePodGroup = (a: PodGroup, b: PodGroup): boolean =>
  a.cls === b.cls && a.relaxationIndex === b.relaxationIndex && a.domainKey === b.domainKey;

/** Sums the waiting pods of the groups. */
export const countPods = (podGroups: readonly PodGroup[]): number =>
  podGroups.reduce((pods, { count }) => pods + count, 0);

/**
 * Lists the pools that can launch a node for one pod of the class, each with the part that is left
 * for the pod.
 *
 * Considers taints, requirements, resources including DaemonSets, host ports and available
 * offerings. Limits are not considered: they change while a plan is made.
 */
export function listPoolOptions(
  cls: PodClass,
  relaxation: Relaxation,
  topologyDomains: TopologyDomains,
  problem: Problem,
): readonly PoolOption[] {
  if (topologyDomains.size > 0) return listPinnedOptions(cls, relaxation, topologyDomains, problem);
  const byRelaxation = getOrCreate(cachedOffered(problem), problem.offerings, () => new Map());
  return getOrCreate(byRelaxation, relaxation, () => listPinnedOptions(cls, relaxation, topologyDomains, problem));
}

// Most pods may run in every domain, and every simulated removal asks for the same templates.
const cachedOffered = memoizePerSnapshot(
  () => new WeakMap<Problem['offerings'], Map<Relaxation, readonly PoolOption[]>>(),
);

function listPinnedOptions(
  cls: PodClass,
  relaxation: Relaxation,
  topologyDomains: TopologyDomains,
  problem: Problem,
): readonly PoolOption[] {
  return listUnpinnedOptions(cls.spec, relaxation, problem).flatMap((option) =>
    pinOption(option, topologyDomains, problem),
  );
}

function pinOption(option: PoolOption, topologyDomains: TopologyDomains, problem: Problem): readonly PoolOption[] {
  const pinned = restrictToDomains({ ...option, types: option.allowed }, topologyDomains, problem);
  const offered = problem.offerings.offered(pinned.where);
  const launchable = intersection(intersection(option.types, pinned.types), offered);
  if (isEmptyBitset(launchable)) return [];
  // With minValues, every type may be needed for its values.
  const types = option.template.minValues.length > 0 ? launchable : dropBareMetal(launchable, problem.typeIndex);
  return [{ ...pinned, template: option.template, types, allowed: pinned.types }];
}

/** Restricts new nodes for the group to one more topology domain. */
export const pinPodGroup = (podGroup: PodGroup, topologyDomains: TopologyDomains, problem: Problem): PodGroup => ({
  ...podGroup,
  options: podGroup.options.flatMap((option) => pinOption(option, topologyDomains, problem)),
});

const cachedOptions = memoizePerSnapshot(() => new Map<Relaxation, readonly PoolOption[]>());

/** Relaxations belong to one pod template, so the result is cached by relaxation. */
export function listUnpinnedOptions(spec: PodSpec, relaxation: Relaxation, problem: Problem): readonly PoolOption[] {
  const options = cachedOptions(problem);
  const cached = options.get(relaxation);
  if (cached) return cached;
  if (spec.resolved?.refusal) return [];
  const poolOptions = problem.nodeTemplates.flatMap((template) => {
    // Devices may be in use in the next snapshot; the other inputs are those of the template.
    if (spec.resolved?.devices) return createOption(spec, relaxation, template, problem);
    const byRelaxation = getOrCreate(optionsOfTemplates, template, () => new WeakMap());
    return getOrCreate(byRelaxation, relaxation, () => createOption(spec, relaxation, template, problem));
  });
  options.set(relaxation, poolOptions);
  return poolOptions;
}

// Templates stay the same objects while NodePools, types and DaemonSets do.
const optionsOfTemplates = new WeakMap<NodeClaimTemplate, WeakMap<Relaxation, readonly PoolOption[]>>();

/** The part of one pool that is left for the pod; empty if the pool cannot run it. */
function createOption(
  spec: PodSpec,
  relaxation: Relaxation,
  template: NodeClaimTemplate,
  problem: Problem,
): readonly PoolOption[] {
  if (findUntoleratedTaint(template.pool.taints, relaxation.tolerations)) return [];
  const { typeIndex, offerings } = problem;
  const narrowing = narrowTemplate(template, relaxation.requirements, typeIndex, offerings.zones);
  if (narrowing.outcome === 'conflict') return [];
  const narrowed = withTypesHavingDevices(spec, { ...narrowing.narrowed, template }, problem);
  const request = toVector(problem.columns, spec.requests);
  const holding = findTypesForAll(template.daemons, request, problem, spec);
  const types = intersection(narrowed.types, holding);
  return [{ ...narrowed, template, types, allowed: narrowed.types }];
}

/**
 * True if another required term, or a further relaxation, leads to nodes that the group cannot use
 * now.
 */
export function hasWiderRelaxation({ cls, relaxationIndex, options }: PodGroup, problem: Problem): boolean {
  const present = cls.relaxations[relaxationIndex];
  const wider = cls.relaxations.filter(
    ({ level }, other) => other !== relaxationIndex && level >= (present?.level ?? 0),
  );
  if (present && wider.some((one) => countTopologyRules(one) < countTopologyRules(present))) return true;
  problem.work.spend(OPERATIONS_PER_RELAXATION * wider.length * problem.nodeTemplates.length);
  return wider
    .flatMap((relaxation) => listPoolOptions(cls, relaxation, NO_DOMAINS, problem))
    .some((other) => !options.some((option) => isSameOption(option, other)));
}

/** The sets of instance types of both are compared. */
const OPERATIONS_PER_RELAXATION = 50;

const NO_DOMAINS: TopologyDomains = new Map();

const isSameOption = (a: PoolOption, b: PoolOption): boolean =>
  a.template === b.template &&
  a.where.zones === b.where.zones &&
  a.where.capacityTypes === b.where.capacityTypes &&
  isSameBitset(a.types, b.types);

function restrictToDomains(
  option: Narrowed,
  topologyDomains: TopologyDomains,
  { typeIndex, offerings: { zones } }: Problem,
): Narrowed {
  let narrowed = option;
  for (const [key, domain] of topologyDomains) narrowed = pinDomain(narrowed, key, domain, typeIndex, zones);
  return narrowed;
}

/**
 * Pods that must share a node need a type for all of them; if no type is large enough, a type for
 * the first pod.
 */
function findTypesForAll(daemons: readonly DaemonGroup[], request: Vector, problem: Problem, spec: PodSpec): Bitset {
  const { together } = spec.resolved ?? {};
  if (together) {
    const all = findTypesHolding(daemons, toVector(problem.columns, together), problem, spec);
    if (!isEmptyBitset(all)) return all;
  }
  return findTypesHolding(daemons, request, problem, spec);
}

/** Finds the types on which `request` fits beside the DaemonSets that run on each type. */
export function findTypesHolding(
  daemons: readonly DaemonGroup[],
  request: Vector,
  { typeIndex }: Problem,
  spec?: PodSpec,
): Bitset {
  let holding: Bitset | undefined;
  for (const group of daemons) {
    if (spec && findPortConflict(spec.hostPorts, group.hostPorts)) continue;
    const fitting = typeIndex.holding(request, group.overhead);
    intersectInPlace(fitting, group.types);
    holding = holding ? union(holding, fitting) : fitting;
  }
  return holding ?? typeIndex.none;
}

const MAX_SMALL_BATCH_PODS = 500;

/**
 * True if each node of the batch matters for its cost, so that more constructions are tried. A
 * large batch fills whole nodes in any order, and each construction costs more time.
 */
export const isSmallBatch = (pods: number): boolean => pods <= MAX_SMALL_BATCH_PODS;
