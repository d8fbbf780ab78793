import { at, type Vector } from '../../data-structures/resource-vectors.ts';

/** Columns of CPU and memory in resource vectors. */
const [CPU_COLUMN, MEMORY_COLUMN] = [0, 1];

/**
 * Computes the sum of the LeastAllocated and BalancedAllocation scores of a node; -1 if the pod
 * does not fit.
 *
 * @param free - free resources of several nodes, one node after the other
 * @param offset - where the node begins in `free`
 * @see kube-scheduler 1.36: both plugins have weight 1
 */
export function computeResourceScore(
  request: Vector,
  requestedColumns: readonly number[],
  free: Vector,
  allocatable: Vector,
  offset = 0,
): number {
  for (const column of requestedColumns)
    if (at(request, column) > at(free, offset + column)) return -1;
  const allCpu = at(allocatable, CPU_COLUMN);
  const allMemory = at(allocatable, MEMORY_COLUMN);
  const freeCpu = at(free, offset + CPU_COLUMN);
  const freeMemory = at(free, offset + MEMORY_COLUMN);
  const leftCpu = freeCpu - at(request, CPU_COLUMN);
  const leftMemory = freeMemory - at(request, MEMORY_COLUMN);
  const unused = toPercent(leftCpu, allCpu) + toPercent(leftMemory, allMemory);
  const before = computeBalance(freeCpu, allCpu, freeMemory, allMemory);
  const after = computeBalance(leftCpu, allCpu, leftMemory, allMemory);
  return Math.floor(unused / 2) + 50 + Math.trunc((50 + after - before) / 2);
}

const toPercent = (amount: number, total: number): number =>
  total > 0 ? Math.floor((Math.max(0, amount) * 100) / total) : 0;

const computeBalance = (cpu: number, allCpu: number, memory: number, allMemory: number): number =>
  Math.floor((1 - Math.abs(cpu / allCpu - memory / allMemory) / 2) * 100);
