import { toEventLine } from '../../shared/aws/event-line.ts';
import type { Log } from '../../shared/aws/log.ts';
import type { Decision, DecisionLog } from '../../shared/ports/decision-log.ts';

/**
 * Logs decisions as lines with their summary.
 *
 * @param act - false in a dry run
 */
export const createDecisionLogLines = (log: Log, act = true): DecisionLog => ({
  async recordDecision(decision) {
    const fields = {
      decision: decision.id,
      kind: decision.kind,
      act,
      ...summarizeDecision(decision),
    };
    log({ level: 'info', message: 'decided', fields });
  },
  // The command that follows is logged as an event.
  recordConfirmation: async () => {},
  async recordEvent(event) {
    log(toEventLine(event));
  },
});

/** Counts, and the names of what changes; the bucket stores the whole plan. */
export function summarizeDecision(decision: Decision): Readonly<Record<string, unknown>> {
  if (decision.kind === 'provisioning') {
    const { claims, placements, unplaced, hourlyUsd, bound } = decision.plan;
    return {
      launches: claims.map(({ claim, pods, cheapest }) => ({
        claim: claim.name,
        pool: claim.pool,
        pods: pods.length,
        type: cheapest.instanceType,
        zone: cheapest.zone,
        capacityType: cheapest.capacityType,
        hourlyUsd: cheapest.hourlyUsd,
      })),
      placed: placements.reduce((sum, { pods }) => sum + pods.length, 0),
      unplaced: unplaced.reduce((sum, { pods }) => sum + pods.length, 0),
      hourlyUsd,
      ...(bound && { leastHourlyUsd: bound.leastHourlyUsd }),
    };
  }
  const { command, verdicts } = decision.plan;
  if (!command) return { nodes: verdicts.length };
  const { reason, candidates, replacements, savingHourlyUsd } = command;
  return {
    nodes: verdicts.length,
    reason,
    candidates,
    replacements: replacements.map(({ cheapest }) => cheapest.instanceType),
    savingHourlyUsd,
  };
}
