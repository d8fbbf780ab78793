import type { NodeLoad } from './node-load.ts';

/** A score plugin of kube-scheduler, for the pods of one class. */
export interface ScorePlugin {
  /**
   * Adds the plugin's weighted scores to the sums of all plugins.
   *
   * @param feasible - the nodes that pass all filters; the plugin normalises its scores over them
   * @param sums - by position in `feasible`
   */
  addScores(sums: Float64Array, feasible: readonly NodeLoad[]): void;
  /** Counts a pod of the class that was bound to the node. */
  add(load: NodeLoad): void;
}

/** The highest score of a plugin, before its weight. */
export const MAX_SCORE = 100;

export function addWeighted(sums: Float64Array, weight: number, scores: Float64Array): void {
  for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) + weight * (scores[index] ?? 0);
}
