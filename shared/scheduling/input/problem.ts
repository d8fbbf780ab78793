import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { memoizeBy } from '../../model/memo.ts';
import type { Pod, PodKey, PodSpec } from '../../model/pods/pod.ts';
import type { ResourceColumns } from '../data-structures/resource-vectors.ts';
import { createWorkMeter, type WorkMeter } from '../data-structures/work-meter.ts';
import { createTemplates, type NodeClaimTemplate, type UnusablePool } from '../instance-types/node-claim-templates.ts';
import { getOfferingIndex, type OfferingIndex } from '../instance-types/offering-index.ts';
import { getTypeIndex, type TypeIndex } from '../instance-types/type-index.ts';
import { applyOverlays } from './apply-overlays.ts';
import { type AttachLimitsByType, addAttachLimits, findAttachLimits, withAttachments } from './attach-limits.ts';
import { addCommittedTypes, type CommitmentCoverage, computeCoverage } from './commitment-coverage.ts';
import { resolveDaemonSets } from './effective-daemon-sets.ts';
import { type ExistingNode, listExistingNodes } from './existing-nodes.ts';
import { createNodeCosts, type NodeCosts } from './node-costs.ts';
import { limitOffHours } from './off-hours.ts';
import { computeUsageByPool, type PoolUsage, subtractNode } from './pool-usage.ts';
import { addReservedTypes, indexReservations, type Reservations } from './reservations.ts';
import type { PlanningSnapshot } from './snapshot-stages.ts';
import { WORK_LIMITS } from './work-limits.ts';

/**
 * A snapshot that is prepared for planning: resources have columns, types and offerings are
 * indexed, pool usage is summed.
 */
export interface Problem {
  readonly snapshot: PlanningSnapshot;
  readonly typeIndex: TypeIndex;
  readonly offerings: OfferingIndex;
  readonly columns: ResourceColumns;
  /** Usable pools, heaviest first. */
  readonly nodeTemplates: readonly NodeClaimTemplate[];
  readonly unusablePools: readonly UnusablePool[];
  /** Nodes on which pods may be placed, besides new nodes. */
  readonly existingNodes: readonly ExistingNode[];
  /**
   * `existingNodes` and the nodes that `withoutNodes` removed: topology rules still count their pods.
   */
  readonly runningNodes: readonly ExistingNode[];
  readonly poolUsage: ReadonlyMap<string, PoolUsage>;
  /** Undefined if no volume is counted. */
  readonly attachLimits?: AttachLimitsByType;
  /** Undefined if there is no paid capacity. */
  readonly reservations?: Reservations;
  /** Undefined if there are no commitments. */
  readonly coverage?: CommitmentCoverage;
  readonly nodeCosts: NodeCosts;
  /** True if a removal is simulated as if no workload or NodePool had a share on demand. */
  readonly ignoresOnDemandShares?: true;
  /** Counts the operations of all that is planned with this problem. */
  readonly work: WorkMeter;
  /**
   * Why pods with these specs are not planned. Grows while the problem is planned: a spec that took
   * more operations than it may is not tried again.
   */
  readonly tooComplex: Map<PodSpec, Reason>;
  /** Operations that one class may take. */
  readonly classLimit: number;
  /** The operations of classes that took many, by pod. Grows while the problem is planned. */
  readonly measuredWork: Map<PodKey, number>;
}

/**
 * Takes an observed snapshot through its stages and indexes it.
 *
 * @param work - counts the operations; without limit by default
 */
export function prepare(clusterSnapshot: ClusterSnapshot, work: WorkMeter = createWorkMeter()): Problem {
  const { pods, nodes, pools, storage, settings, claims } = clusterSnapshot;
  work.spend(10 * pods.length + 50 * nodes.length + OPERATIONS_PER_POOL * pools.length);
  // Most clusters use few of these features. A stage runs only if it may change something.
  const hasHours = pools.some(({ hours }) => hours);
  const withDaemonSets = resolveDaemonSets(hasHours ? limitOffHours(clusterSnapshot) : clusterSnapshot);
  const attachLimits = storage && findAttachLimits(withDaemonSets, storage);
  const overlays = settings?.gates.NodeOverlay ? clusterSnapshot.overlays : undefined;
  const withOverlays = overlays?.length
    ? applyOverlays(withDaemonSets, overlays)
    : ({ ...withDaemonSets, stage: 'overlays' } as const);
  const withReservations = addReservedTypes(withOverlays);
  const hasCommitments = clusterSnapshot.commitments?.length || settings?.commitments?.length;
  const coverage = hasCommitments ? computeCoverage(clusterSnapshot) : undefined;
  const withCommitments = coverage ? addCommittedTypes(withReservations, coverage) : withReservations;
  const snapshot: PlanningSnapshot = attachLimits
    ? addAttachLimits(withCommitments, attachLimits)
    : { ...withCommitments, stage: 'planning' };
  const typeIndex = getTypeIndex(snapshot.instanceTypes);
  const { offerings: listed, unavailable, takenAt } = snapshot;
  const offerings = getOfferingIndex(typeIndex, listed, unavailable, takenAt);
  const columns = typeIndex.columnsWith(listResourceNames(snapshot));
  const reservations = indexReservations(snapshot, typeIndex, coverage);
  const { usable, unusable: unusablePools } = createTemplates({
    snapshot,
    typeIndex,
    offerings,
    columns,
  });
  const hasNodes = nodes.length + claims.length > 0;
  const nodesAndClaims = hasNodes ? listExistingNodes(snapshot, typeIndex, columns) : [];
  const existingNodes =
    attachLimits && storage ? withAttachments(nodesAndClaims, storage, columns, attachLimits) : nodesAndClaims;
  return {
    snapshot,
    typeIndex,
    offerings,
    columns,
    nodeTemplates: usable,
    unusablePools,
    existingNodes,
    runningNodes: existingNodes,
    poolUsage: hasNodes ? computeUsageByPool(existingNodes, { snapshot, typeIndex, columns }) : new Map(),
    ...(attachLimits && { attachLimits }),
    ...(reservations && { reservations }),
    ...(coverage && { coverage }),
    nodeCosts: createNodeCosts(snapshot.settings),
    work,
    tooComplex: new Map(),
    measuredWork: new Map(),
    classLimit: WORK_LIMITS.podClass,
  };
}

/** The types of each pool are indexed. */
const OPERATIONS_PER_POOL = 20_000;

/** Lists names that no instance type has, but that pods, DaemonSets, nodes or limits use. */
function* listResourceNames({ pods, nodes, pools, daemonSets }: ClusterSnapshot): Iterable<string> {
  const visited = new Set<Pod['spec']>();
  for (const { spec } of pods) {
    if (visited.has(spec)) continue;
    visited.add(spec);
    yield* Object.keys(spec.requests);
  }
  for (const { template } of daemonSets) yield* Object.keys(template.spec.requests);
  for (const { allocatable } of nodes) yield* Object.keys(allocatable);
  for (const { limits } of pools) yield* Object.keys(limits);
}

/**
 * The problem after nodes are removed: their replacements may use the nodes' share of the limits.
 *
 * @see Karpenter: a simulation leaves its candidates out of the nodes that count for limits
 */
export function withoutNodes(problem: Problem, names: readonly string[]): Problem {
  const isNamed = new Set(names);
  const removed = problem.existingNodes.filter(({ name }) => isNamed.has(name));
  if (removed.length === 0) return problem;
  return {
    ...problem,
    existingNodes: problem.existingNodes.filter(({ name }) => !isNamed.has(name)),
    poolUsage: removed.reduce((usage, node) => subtractNode(usage, node, problem), problem.poolUsage),
  };
}

/** The problem of an attempt to plan a part of the pods, with less work for each class. */
export const withClassLimit = (problem: Problem, classLimit: number): Problem => ({
  ...problem,
  classLimit,
  tooComplex: new Map(problem.tooComplex),
});

type ProblemFunction<Answer> = (problem: Problem) => Answer;

/** Caches a result for each prepared snapshot; all problems derived from the snapshot share it. */
export const memoizePerSnapshot = <Answer>(compute: ProblemFunction<Answer>): ProblemFunction<Answer> =>
  memoizeBy(({ nodeTemplates }) => nodeTemplates, compute);

/** Caches a result as long as the same pods run on the same nodes. */
export const memoizePerRunningPods = <Answer>(compute: ProblemFunction<Answer>): ProblemFunction<Answer> =>
  memoizeBy(({ runningNodes }) => runningNodes, compute);
