import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes } from '../../data-structures/resource-vectors.ts';
import type { DeviceTracker, PlacementProblem } from '../../devices/device-tracker.ts';
import {
  chargeNode,
  copyAllowance,
  createAllowances,
  isAmple,
  listTypesWithinAllowance,
  type PoolAllowance,
  refundNode,
} from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { resolveMinValues } from '../../instance-types/min-values.ts';
import type { Opening } from '../../instance-types/narrowing.ts';
import type { TopologyGroup } from '../../topology/topology.ts';
import {
  copyNewNode,
  createNewNode,
  findCheapestType,
  type NewNode,
  replaceMinValues,
  replaceTypes,
} from './new-node.ts';

/** The new nodes of a plan, with the pool limits they draw on. */
export interface PackingState {
  readonly problem: PlacementProblem;
  readonly newNodes: NewNode[];
  readonly allowances: Map<string, PoolAllowance>;
  /** Undefined if no pod of the batch claims devices. */
  readonly devices?: DeviceTracker;
  /** Affinity rules on the hostname whose pods have a node. */
  readonly placedAffinities: Set<TopologyGroup>;
}

/**
 * @param maxNodes - no more nodes are opened; limits that so many nodes cannot reach are not
 *   tracked
 */
export function createPackingState(problem: PlacementProblem, maxNodes = Infinity): PackingState {
  const allowances = createAllowances(problem);
  for (const [pool, allowance] of allowances) {
    if (isAmple(allowance, maxNodes, problem)) allowances.delete(pool);
  }
  const devices = problem.devices?.fork();
  return {
    problem,
    newNodes: [],
    allowances,
    ...(devices && { devices }),
    placedAffinities: new Set(),
  };
}

/** Opens an empty node; undefined if the pool's limits leave no type. */
export function openNewNode(state: PackingState, option: Opening): NewNode | undefined {
  const { problem, allowances, newNodes } = state;
  const allowance = allowances.get(option.template.pool.name);
  if (allowance && allowance.nodes < 1) return undefined;
  const types = allowance ? listTypesWithinAllowance(option.types, allowance, undefined, problem) : option.types;
  if (isEmptyBitset(types)) return undefined;
  const minValues = resolveMinValues(option.template, types, problem);
  if (!minValues) return undefined;

  const newNode = createNewNode(option, problem);
  replaceTypes(newNode, types);
  replaceMinValues(newNode, minValues);
  if (allowance) chargeNode(allowance);
  newNodes.push(newNode);
  return newNode;
}

/** Removes a node and refunds its charge. */
export function discardNewNode({ newNodes, allowances }: PackingState, newNode: NewNode): void {
  newNodes.splice(newNodes.indexOf(newNode), 1);
  const allowance = allowances.get(newNode.template.pool.name);
  if (allowance) refundNode(allowance, newNode.charged);
}

/** A copy whose new nodes and allowances can change without changing the original. */
export const copyPackingState = ({ problem, newNodes, allowances, placedAffinities }: PackingState): PackingState => ({
  problem,
  newNodes: newNodes.map(copyNewNode),
  allowances: new Map([...allowances].map(([pool, one]) => [pool, copyAllowance(one)])),
  placedAffinities: new Set(placedAffinities),
});

/** Records that pods of affinity rules on the hostname have a node, so that later pods join it. */
export function recordHostAffinities({ placedAffinities }: PackingState, { topology }: PodGroup): void {
  for (const group of topology.countedBy) {
    if (group.key === HOSTNAME_LABEL) placedAffinities.add(group);
  }
}

/**
 * The problem in which the new nodes are charged to their pools' limits, each with its cheapest
 * type.
 */
export function withUsageByNewNodes(problem: Problem, newNodes: readonly NewNode[]): Problem {
  const usage = new Map(problem.poolUsage);
  for (const newNode of newNodes) {
    const { name } = newNode.template.pool;
    const previous = usage.get(name);
    const capacity = previous?.capacity.slice() ?? new Float64Array(problem.columns.names.length);
    const added = problem.typeIndex.capacity[findCheapestType(newNode, problem).type];
    if (added) addTimes(capacity, added, 1);
    usage.set(name, { capacity, nodes: (previous?.nodes ?? 0) + 1 });
  }
  return { ...problem, poolUsage: usage };
}
