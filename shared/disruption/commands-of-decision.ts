import type { Reason } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';

/** Moves of nodes with pods that one decision starts; the next decision looks at the rest. */
export const MAX_COMMANDS = 10;

/**
 * The node receives pods, shares a PodDisruptionBudget with a command, or the decision has as many
 * commands as it may.
 */
export const AFTER_COMMANDS: Reason = { code: 'after-commands', fields: {} };

/**
 * Creates the id of a command. The first one has the id of the decision.
 *
 * @param index - the number of commands that the decision has already
 */
export const createCommandId = (decision: string, index: number): string =>
  index === 0 ? decision : `${decision}-${index + 1}`;

export const toPlan = (
  [command, ...more]: readonly DisruptionCommand[],
  verdicts: readonly NodeVerdict[],
): DisruptionPlan => ({
  ...(command && { command }),
  ...(more.length > 0 && { more }),
  verdicts,
});
