import { at, type Vector } from '../../data-structures/resource-vectors.ts';

/** Columns of CPU and memory. */
const [CPU_COLUMN, MEMORY_COLUMN] = [0, 1];

/**
 * What kube-scheduler thinks of a host's resources for a pod: the share that stays free, and whether
 * the pod brings CPU and memory closer together; -1 if there is no room.
 *
 * @param free - of several hosts, one after the other, this one's `from` that place on
 * @see kube-scheduler 1.36: LeastAllocated weighs as much as BalancedAllocation
 */
export function resourceScore(
  request: Vector,
  asked: readonly number[],
  free: Vector,
  allocatable: Vector,
  from = 0,
): number {
  for (const column of asked) if (at(request, column) > at(free, from + column)) return -1;
  const allCpu = at(allocatable, CPU_COLUMN);
  const allMemory = at(allocatable, MEMORY_COLUMN);
  const freeCpu = at(free, from + CPU_COLUMN);
  const freeMemory = at(free, from + MEMORY_COLUMN);
  const leftCpu = freeCpu - at(request, CPU_COLUMN);
  const leftMemory = freeMemory - at(request, MEMORY_COLUMN);
  const unused = percent(leftCpu, allCpu) + percent(leftMemory, allMemory);
  const before = evenness(freeCpu, allCpu, freeMemory, allMemory);
  const after = evenness(leftCpu, allCpu, leftMemory, allMemory);
  return Math.floor(unused / 2) + 50 + Math.trunc((50 + after - before) / 2);
}

const percent = (left: number, all: number): number =>
  all > 0 ? Math.floor((Math.max(0, left) * 100) / all) : 0;

const evenness = (cpu: number, allCpu: number, memory: number, allMemory: number): number =>
  Math.floor((1 - Math.abs(cpu / allCpu - memory / allMemory) / 2) * 100);
