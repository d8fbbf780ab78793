import { VALIDATION_DELAY_MS } from '../disruption/validation-delay.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { MINUTE_MS, SECOND_MS } from '../model/time.ts';
import type { ProjectedStep } from './steady-state.ts';

/** Pods get this time to end unless they ask for another one. */
const DRAIN_MS = 30 * SECOND_MS;
/** For a cluster in which no node has started yet. */
export const USUAL_START_MS = MINUTE_MS;

/** The median time from the creation of a node to its initialization; undefined without nodes. */
export function findUsualStartMs(claims: readonly NodeClaim[]): number | undefined {
  const took = claims
    .flatMap(({ createdAt, initializedAt }) => (initializedAt === undefined ? [] : [initializedAt - createdAt]))
    .toSorted((a, b) => a - b);
  return took[Math.floor(took.length / 2)];
}

/**
 * Estimates how long the steps take, in milliseconds, if each waits for the one before. Waiting for
 * `consolidateAfter` and for closed disruption budgets is not included.
 */
export const estimateDurationMs = (steps: readonly ProjectedStep[], startMs: number): number =>
  steps.reduce(
    (sum, { launches, drains, isValidated }) =>
      sum + (isValidated ? VALIDATION_DELAY_MS : 0) + (launches ? startMs : 0) + (drains ? DRAIN_MS : 0),
    0,
  );
