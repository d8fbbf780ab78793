import type { CostBound } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignVariant, listPodClasses } from '../assignment/assign-batch.ts';
import { createOriginalVariant } from '../assignment/batch-variants.ts';
import { isSmallBatch, type PodGroup } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import {
  divideAmongNodes,
  findCheapestNodes,
  packDivision,
} from '../packing/constructions/equal-pods.ts';
import { isCheaper, type Packing, pack } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Solution } from './solve.ts';

/** A solution that is proven to be the cheapest, with its exact lower bound. */
export interface OptimalSolution extends Solution {
  readonly bound: CostBound;
}

/**
 * Places the pods of one class on new nodes at the least price: the common case of a pod, or of some
 * equal pods, that only need resources. The optimum is computed directly, so that no search, linear
 * programme or simulation of Karpenter is needed.
 *
 * @returns undefined if other rules decide about the nodes (topology rules, preferences, volumes,
 *   devices, reservations), if existing nodes take pods, or if limits or minValues forbid the
 *   optimum; `solve` plans these batches
 */
export function solveOneClass(
  problem: Problem,
  batch: readonly Pod[],
): OptimalSolution | undefined {
  if (!isSmallBatch(batch.length) || problem.reservations) return undefined;
  const classes = listPodClasses(problem, batch);
  const [cls] = classes;
  if (!cls || classes.length > 1 || !needsOnlyResources(cls, problem)) return undefined;
  if (cls.relaxations.length === 0) return undefined;

  const assigned = assignVariant(problem, batch, createOriginalVariant(classes), {}, new Map());
  const [podGroup] = assigned.podGroups;
  if (podGroup?.count !== batch.length || hasTopologyRules(podGroup)) return undefined;
  return packAtLeastPrice(assigned, podGroup);
}

/** True if the pods have one required term at most, no preferences, volumes, ports or devices. */
const needsOnlyResources = ({ spec, relaxations }: PodClass, problem: Problem): boolean =>
  // The last relaxation of each pod tolerates PreferNoSchedule taints.
  relaxations.length <= 2 &&
  !hasPreferNoScheduleTaints(problem) &&
  spec.resolved === undefined &&
  spec.hostPorts.length === 0 &&
  spec.schedulingGates.length === 0;

const hasPreferNoScheduleTaints = ({ nodeTemplates, existingNodes }: Problem): boolean =>
  [...nodeTemplates.map(({ pool }) => pool), ...existingNodes].some(({ taints }) =>
    taints.some(({ effect }) => effect === 'PreferNoSchedule'),
  );

const hasTopologyRules = ({ domainKey, topology }: PodGroup): boolean =>
  domainKey !== '' ||
  topology.owned.length > 0 ||
  topology.avoidedGroups.length > 0 ||
  topology.barredBy.length > 0;

/** Packs the group at the least price in the pools of the heaviest weight, if they allow it. */
function packAtLeastPrice(
  { problem, placed, topology }: AssignedBatch,
  podGroup: PodGroup,
): OptimalSolution | undefined {
  const { options, count } = podGroup;
  const { perNodeUsd } = problem;
  const weight = options[0]?.template.pool.weight;
  const heaviest = options.filter(({ template }) => template.pool.weight === weight);
  const nodes = findCheapestNodes(podGroup, heaviest, problem);
  const division = divideAmongNodes(count, nodes, perNodeUsd);
  const packing = pack(problem, [podGroup], packDivision(division, nodes), 'strict');

  // Karpenter's plan is preferred by its price without the cost per node, so both must be minimal.
  const hourlyUsd = divideAmongNodes(count, nodes, 0).usd;
  const isOptimal =
    packing.unplacedPods === 0 &&
    !isCheaper(division.usd, packing.costUsd) &&
    !isCheaper(hourlyUsd, packing.hourlyUsd);
  if (!isOptimal) return undefined;
  const { newNodes } = packing.packingState;
  const bound = computeBound(podGroup, packing, problem);
  return { placed, newNodes, unplaced: new Map(), costUsd: packing.costUsd, topology, bound };
}

/** The lower bound of all pools: pools of lower weight may be cheaper. */
function computeBound(
  podGroup: PodGroup,
  { costUsd, hourlyUsd }: Packing,
  problem: Problem,
): CostBound {
  const nodes = findCheapestNodes(podGroup, podGroup.options, problem);
  const computeLeastUsd = (perNodeUsd: number) =>
    divideAmongNodes(podGroup.count, nodes, perNodeUsd).usd;
  return {
    costUsd,
    leastCostUsd: Math.min(costUsd, computeLeastUsd(problem.perNodeUsd)),
    leastHourlyUsd: Math.min(hourlyUsd, computeLeastUsd(0)),
  };
}
