import { at, type Vector } from '../../data-structures/resource-vectors.ts';

/** Columns of CPU and memory in resource vectors. */
export const CPU_COLUMN = 0;
export const MEMORY_COLUMN = 1;

/**
 * Computes the sum of the LeastAllocated and BalancedAllocation scores of a node; -1 if the pod
 * does not fit.
 *
 * @param free - free resources of several nodes, one node after the other
 * @param allocatable - all resources of these nodes
 * @param offset - where the node begins in both
 * @param before - the balance of the node without the pod
 * @see kube-scheduler 1.36: both plugins have weight 1
 */
export function computeResourceScore(
  request: Vector,
  requestedColumns: readonly number[],
  free: Vector,
  allocatable: Vector,
  offset = 0,
  before = computeBalanceOfNode(free, allocatable, offset),
): number {
  for (const column of requestedColumns) if (at(request, column) > at(free, offset + column)) return -1;
  const allCpu = at(allocatable, offset + CPU_COLUMN);
  const allMemory = at(allocatable, offset + MEMORY_COLUMN);
  const leftCpu = at(free, offset + CPU_COLUMN) - at(request, CPU_COLUMN);
  const leftMemory = at(free, offset + MEMORY_COLUMN) - at(request, MEMORY_COLUMN);
  const unused = toPercent(leftCpu, allCpu) + toPercent(leftMemory, allMemory);
  const after = computeBalance(leftCpu, allCpu, leftMemory, allMemory);
  return Math.floor(unused / 2) + 50 + Math.trunc((50 + after - before) / 2);
}

/** Computes how evenly CPU and memory of a node are used: 100 if by the same share, 50 at worst. */
export const computeBalanceOfNode = (free: Vector, allocatable: Vector, offset = 0): number =>
  computeBalance(
    at(free, offset + CPU_COLUMN),
    at(allocatable, offset + CPU_COLUMN),
    at(free, offset + MEMORY_COLUMN),
    at(allocatable, offset + MEMORY_COLUMN),
  );

const toPercent = (amount: number, total: number): number =>
  total > 0 ? Math.floor((Math.max(0, amount) * 100) / total) : 0;

const computeBalance = (cpu: number, allCpu: number, memory: number, allMemory: number): number =>
  Math.floor((1 - Math.abs(cpu / allCpu - memory / allMemory) / 2) * 100);
