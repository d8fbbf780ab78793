import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import type { ConsolidationCase } from '../case-schema.ts';
import { checkCommand } from '../check-command.ts';
import { listBrokenRules } from './removal-rules.ts';

/** The planner's command for a running cluster, and whether the case passes. */
export interface ConsolidationResult {
  readonly case: string;
  readonly command?: DisruptionCommand;
  /** The violations; empty if the case passes. */
  readonly why: readonly string[];
  /** In USD per hour. */
  readonly saving: { readonly ours: number; readonly reference: number };
}

/** Prices are sums of the same numbers in another order. */
const ROUNDING_USD = 1e-9;

/**
 * A case passes if the command gives every pod a valid place, breaks no budget and no blocker, and
 * saves at least as much as the cheapest of the reference's runs.
 */
export function evaluateConsolidation(vector: ConsolidationCase, snapshot: ClusterSnapshot): ConsolidationResult {
  const { command } = planDisruption(snapshot, [], 'decision-1');
  const reference = findReferenceSaving(vector);
  const ours = command?.savingHourlyUsd ?? 0;
  return {
    case: vector.name,
    ...(command && { command }),
    saving: { ours, reference },
    why: [
      ...(command ? [...checkCommand(snapshot, command), ...listBrokenRules(vector, snapshot, command)] : []),
      ...(ours < reference - ROUNDING_USD
        ? [`saves $${ours.toFixed(4)}/h, the reference saves $${reference.toFixed(4)}/h`]
        : []),
    ],
  };
}

/** The reference removes empty nodes first, whatever the other methods would save. */
const findReferenceSaving = ({ expected: { command, stability } }: ConsolidationCase): number =>
  command ? Math.max(command.savings, stability?.savings.max ?? 0) : 0;
