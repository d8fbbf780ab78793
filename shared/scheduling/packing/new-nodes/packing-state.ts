import type { HostPort } from '../../../model/pods/pod.ts';
import type { Requirements } from '../../../model/requirements/requirements.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { type Bitset, hasBit, isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes, type Vector } from '../../data-structures/resource-vectors.ts';
import type { DeviceTracker, PlacementProblem } from '../../devices/device-tracker.ts';
import { type PoolAllowance, createAllowances, isAmple, listTypesWithinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { resolveMinValues } from '../../instance-types/min-values.ts';
import type { Opening } from '../../instance-types/narrowing.ts';
import type { MinValues, NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { OfferingScope } from '../../instance-types/offering-index.ts';
import type { TopologyGroup } from '../../topology/topology.ts';

/** A node that a plan in the making would launch: what is on it, and what it may still be. */
export interface NewNode {
  readonly template: NodeClaimTemplate;
  types: Bitset;
  where: OfferingScope;
  custom: Requirements;
  /** What its types have to leave open. */
  minValues: readonly MinValues[];
  readonly used: Vector;
  /** Room kept beside what is used, for pods that kube-scheduler may put here instead. */
  spareRoom: Vector;
  readonly podCounts: Map<PodGroup, number>;
  readonly hostPorts: HostPort[];
  /** Of the devices that it is launched for. */
  readonly drivers: Set<string>;
  readonly topologyCounts: Map<TopologyGroup, number>;
  readonly antiAffinityOwners: Map<TopologyGroup, number>;
  /** Per resource, at least what any of its types has left; a quick no for what is larger. */
  readonly freeUpperBound: Vector;
  /** What it takes of its pool's limits: the capacity of its cheapest type. */
  charged: Vector;
}

/** Drafts of one plan, with the pools' limits they draw on. */
export interface PackingState {
  readonly problem: PlacementProblem;
  readonly newNodes: NewNode[];
  readonly allowances: Map<string, PoolAllowance>;
  /** Absent: no pod of the batch claims devices. */
  readonly devices?: DeviceTracker;
  /** Affinity rules on the hostname whose pods have found their node. */
  readonly placedAffinities: Set<TopologyGroup>;
}

/** @param maxNodes - no more are opened: no accounts are kept of limits that so many cannot reach */
export function createPackingState(problem: PlacementProblem, maxNodes = Infinity): PackingState {
  const allowances = createAllowances(problem);
  for (const [pool, allowance] of allowances) {
    if (isAmple(allowance, maxNodes, problem)) allowances.delete(pool);
  }
  const devices = problem.devices?.fork();
  return { problem, newNodes: [], allowances, ...(devices && { devices }), placedAffinities: new Set() };
}

/** A new, empty draft; undefined if the pool's limits leave no type. */
export function openNewNode(state: PackingState, option: Opening): NewNode | undefined {
  const { problem, allowances, newNodes } = state;
  const allowance = allowances.get(option.template.pool.name);
  if (allowance && allowance.nodes < 1) return undefined;
  const types = allowance
    ? listTypesWithinAllowance(option.types, allowance, undefined, problem)
    : option.types;
  if (isEmptyBitset(types)) return undefined;
  const minValues = resolveMinValues(option.template, types, problem);
  if (!minValues) return undefined;

  const newNode = createNewNode(option, problem);
  newNode.types = types;
  newNode.minValues = minValues;
  if (allowance) allowance.nodes -= 1;
  newNodes.push(newNode);
  return newNode;
}

export const createNewNode = (
  { template, types, where, custom }: Opening,
  { columns, typeIndex }: Problem,
): NewNode => ({
  template,
  types,
  where,
  custom,
  minValues: template.minValues,
  used: new Float64Array(columns.names.length),
  spareRoom: new Float64Array(columns.names.length),
  podCounts: new Map(),
  hostPorts: [],
  drivers: new Set(),
  topologyCounts: new Map(),
  antiAffinityOwners: new Map(),
  freeUpperBound: typeIndex.findLargestAllocatable(template.types).slice(),
  charged: new Float64Array(columns.names.length),
});

/** Takes back a draft, and with it what it took of its pool's limits. */
export function discardNewNode({ newNodes, allowances }: PackingState, newNode: NewNode): void {
  newNodes.splice(newNodes.indexOf(newNode), 1);
  const allowance = allowances.get(newNode.template.pool.name);
  if (!allowance) return;
  allowance.nodes += 1;
  addTimes(allowance.remaining, newNode.charged, 1);
}

/** The type with the lowest price in the places that are left to the draft. */
export function findCheapestType(
  { types, where }: Pick<NewNode, 'types' | 'where'>,
  { offerings }: Problem,
): { readonly type: number; readonly hourlyUsd: number } {
  const type = offerings.byPrice(where).find((one) => hasBit(types, one));
  return type === undefined
    ? { type: -1, hourlyUsd: Infinity }
    : { type, hourlyUsd: offerings.cheapestUsd(type, where) };
}

/** The problem with what new nodes take of their pools' limits, each at its cheapest type. */
export function withUsageOf(problem: Problem, newNodes: readonly NewNode[]): Problem {
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
