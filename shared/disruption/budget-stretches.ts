import type { Budget, DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import type { EpochMs } from '../model/time.ts';
import { findWindow } from './budget-window.ts';
import { computeAllowedDisruptions } from './budgets.ts';

/** A time in which the budgets of a pool allow the same number of nodes; Infinity is no limit. */
interface AllowedStretch {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly nodes: number;
}

/** A schedule that fires more often cannot be shown. */
const MAX_WINDOWS = 2_000;

/**
 * Lists what the budgets of a pool allow for a reason from `from` to `to`, for display.
 *
 * @param nodes - the pool's managed, initialized nodes whose instances are not terminating
 */
export function listAllowedStretches(
  pool: NodePool,
  reason: DisruptionReason,
  nodes: number,
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
): readonly AllowedStretch[] {
  const edges = pool.disruption.budgets.flatMap((budget) => listEdges(budget, from, to));
  const starts = [...new Set([from, ...edges])].toSorted((a, b) => a - b);
  const stretches: AllowedStretch[] = [];
  for (const start of starts) {
    const allowed = computeAllowedDisruptions(pool, reason, nodes, start).nodes;
    const last = stretches.at(-1);
    if (last?.nodes === allowed) continue;
    if (last) stretches[stretches.length - 1] = { ...last, to: start };
    stretches.push({ from: start, to, nodes: allowed });
  }
  return stretches;
}

/** The moments in between at which the window of the budget opens or closes. */
function listEdges(budget: Budget, from: EpochMs, to: EpochMs): readonly EpochMs[] {
  const edges: EpochMs[] = [];
  let window = findWindow(budget, from);
  while (window.kind === 'scheduled' && window.opensAt < to && edges.length < 2 * MAX_WINDOWS) {
    edges.push(window.opensAt, window.closesAt);
    window = findWindow(budget, window.closesAt);
  }
  return edges.filter((edge) => edge > from && edge < to);
}
