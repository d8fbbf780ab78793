import type { CostBound } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignVariant, listPodClasses } from '../assignment/assign-batch.ts';
import { createOriginalVariant } from '../assignment/batch-variants.ts';
import { isSmallBatch, type PodGroup, type PoolOption } from '../assignment/pod-groups.ts';
import { NO_NODE_COSTS, type NodeCosts } from '../input/node-costs.ts';
import type { Problem } from '../input/problem.ts';
import { divideAmongNodes, findCheapestNodes, packDivision } from '../packing/constructions/equal-pods.ts';
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
 *   devices, reservations, shares on demand), if existing nodes take pods, or if limits or minValues forbid the
 *   optimum; `solve` plans these batches
 */
export function solveOneClass(problem: Problem, batch: readonly Pod[]): OptimalSolution | undefined {
  if (!isSmallBatch(batch.length) || problem.reservations) return undefined;
  if (problem.nodeTemplates.some(({ pool }) => pool.onDemandShare)) return undefined;
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
  domainKey !== '' || topology.owned.length > 0 || topology.avoidedGroups.length > 0 || topology.barredBy.length > 0;

/** Packs the group at the least price in the pools of the heaviest weight, if they allow it. */
function packAtLeastPrice(
  { problem, placed, topology }: AssignedBatch,
  podGroup: PodGroup,
): OptimalSolution | undefined {
  const { options, count } = podGroup;
  const weight = options[0]?.template.pool.weight;
  const heaviest = options.filter(({ template }) => template.pool.weight === weight);
  const nodes = findCheapestNodes(podGroup, heaviest, problem, problem.nodeCosts);
  const division = divideAmongNodes(count, nodes);
  const packing = pack(problem, [podGroup], packDivision(division, nodes), 'strict');

  const isOptimal = packing.unplacedPods === 0 && !isCheaper(division.usd, packing.costUsd);
  if (!isOptimal || !isAtMostKarpenterPrice(podGroup, heaviest, packing, problem)) return undefined;
  const { newNodes } = packing.packingState;
  const bound = computeBound(podGroup, packing, problem);
  return { placed, newNodes, unplaced: new Map(), costUsd: packing.costUsd, topology, bound };
}

/**
 * True if Karpenter would certainly not pay less. It fills the largest nodes of one pool, so it needs
 * the fewest nodes that are possible there, and nodes of the least cost cannot have a higher price
 * than fewer nodes of a higher cost. If there are several pools or limits, the price must be the
 * lowest.
 */
function isAtMostKarpenterPrice(
  podGroup: PodGroup,
  heaviest: readonly PoolOption[],
  packing: Packing,
  problem: Problem,
): boolean {
  const [only, ...others] = heaviest;
  if (others.length === 0 && only?.template.limited === false) return true;
  const nodes = findCheapestNodes(podGroup, heaviest, problem, NO_NODE_COSTS);
  return !isCheaper(divideAmongNodes(podGroup.count, nodes).usd, packing.hourlyUsd);
}

/** The lower bound of all pools: pools of lower weight may be cheaper. */
function computeBound(podGroup: PodGroup, { costUsd, hourlyUsd }: Packing, problem: Problem): CostBound {
  const computeLeastUsd = (nodeCosts: NodeCosts): number => {
    const nodes = findCheapestNodes(podGroup, podGroup.options, problem, nodeCosts);
    return divideAmongNodes(podGroup.count, nodes).usd;
  };
  return {
    costUsd,
    leastCostUsd: Math.min(costUsd, computeLeastUsd(problem.nodeCosts)),
    leastHourlyUsd: Math.min(hourlyUsd, computeLeastUsd(NO_NODE_COSTS)),
  };
}
