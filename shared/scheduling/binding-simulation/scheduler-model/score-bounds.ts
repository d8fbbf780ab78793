import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import { CPU_COLUMN, MEMORY_COLUMN } from './resource-score.ts';

/**
 * Upper bounds of resource scores. Rating a node takes divisions and comparisons of all resources; a bound takes
 * neither, and refuses most nodes once a good one is found.
 *
 * The bound is the score without rounding: the free share of CPU and memory after the pod in percent, and half of
 * the percent by which the pod uses both more evenly. One row per node has free CPU and memory in percent, the
 * percent per unit of both, and the part that no pod changes.
 */
export type ScoreBounds = Vector;

/** Numbers in the row of a node. */
const WIDTH = 5;

export const createScoreBounds = (nodes: number): ScoreBounds => new Float64Array(nodes * WIDTH);

/**
 * Writes the row of a node.
 *
 * @param free - free resources of several nodes, one node after the other
 * @param allocatable - all resources of these nodes
 * @param columns - number of resources
 * @param balance - the balance of the node
 */
export function updateScoreBound(
  bounds: ScoreBounds,
  node: number,
  free: Vector,
  allocatable: Vector,
  columns: number,
  balance: number,
): void {
  const row = node * WIDTH;
  const cpu = node * columns + CPU_COLUMN;
  const memory = node * columns + MEMORY_COLUMN;
  const cpuPercent = 100 / at(allocatable, cpu);
  const memoryPercent = 100 / at(allocatable, memory);
  // Overcommitted nodes, and those without CPU or memory, are always rated.
  const isBounded = at(free, cpu) >= 0 && at(free, memory) >= 0 && cpuPercent + memoryPercent < Infinity;
  bounds[row] = isBounded ? at(free, cpu) * cpuPercent : Infinity;
  bounds[row + 1] = isBounded ? at(free, memory) * memoryPercent : Infinity;
  bounds[row + 2] = isBounded ? cpuPercent : 0;
  bounds[row + 3] = isBounded ? memoryPercent : 0;
  bounds[row + 4] = BALANCED_SCORE - balance / 2 + ROUNDING;
}

/** The score of a node without free CPU and memory that a pod makes perfectly balanced, before its balance is subtracted. */
const BALANCED_SCORE = 125;

/** Scores are whole numbers, and a bound must not be below one by an error of floating-point sums. */
const ROUNDING = 1e-6;

/** Resets the row of a node to that in `initial`. */
export function resetScoreBound(bounds: ScoreBounds, initial: ScoreBounds, node: number): void {
  for (let position = node * WIDTH; position < (node + 1) * WIDTH; position++) bounds[position] = at(initial, position);
}

/**
 * True if the score of the node for a pod is certainly below `score`, or the pod certainly does not fit.
 */
export function isScoreBelow(
  bounds: ScoreBounds,
  node: number,
  cpuRequest: number,
  memoryRequest: number,
  score: number,
): boolean {
  const row = node * WIDTH;
  const cpu = (bounds[row] ?? 0) - cpuRequest * (bounds[row + 2] ?? 0);
  const memory = (bounds[row + 1] ?? 0) - memoryRequest * (bounds[row + 3] ?? 0);
  if (cpu < -ROUNDING || memory < -ROUNDING) return true;
  // NaN for nodes that are always rated: no comparison with it is true.
  const bound = (cpu + memory) / 2 - Math.abs(cpu - memory) / 4 + (bounds[row + 4] ?? 0);
  return bound < score;
}
