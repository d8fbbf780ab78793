import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { DisruptionCommand, DisruptionPlan } from '../model/plans.ts';

/**
 * Finds the next nodes to remove or replace, and says of every other node why it stays.
 *
 * @param running - commands under way; their nodes count against the budgets
 * @param decision - id of this decision; a command and its replacements are named after it
 */
export function planDisruption(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  void snapshot;
  void running;
  void decision;
  return { verdicts: [] };
}
