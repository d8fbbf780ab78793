import type { Reason } from '../../model/explanations/reasons.ts';
import type { Drift } from '../../model/nodes/drift.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import type { NodeVerdict } from '../../model/plans.ts';
import { formatInstant } from '../../model/time.ts';
import type { FindPace } from '../budgets.ts';
import { byClaimName, type Candidate, type DisruptionInput, isEmpty, toCandidate } from '../candidates.ts';
import { findDriftObstacle, findNomination, findReceivingLaunch } from '../obstacles.ts';
import { spreadMoves } from '../window-pace.ts';

export type DriftedNode = Candidate & { readonly drift: Drift };

/**
 * Lists replaceable drifted nodes of the selected pools: nodes without pods first, then by age of
 * the drift. Reasons why other drifted nodes stay are added to `verdicts`.
 */
export function listDriftedNodes(
  input: DisruptionInput,
  verdicts: NodeVerdict[],
  isOfPool: (pool: NodePool) => boolean,
): readonly DriftedNode[] {
  const { problem } = input;
  const replaceable = problem.existingNodes.flatMap((existingNode): DriftedNode[] => {
    const drift = existingNode.claim?.drift;
    const candidate = drift && toCandidate(existingNode, input);
    if (!candidate || !isOfPool(candidate.pool)) return [];
    if (input.offHours?.has(candidate.claim.name)) return [];
    const obstacle =
      findNomination(existingNode, candidate.claim, problem) ??
      findDriftObstacle(existingNode, candidate.claim, problem) ??
      // The nodes of a static pool are replaced whatever runs on them.
      (candidate.pool.replicas === undefined ? findReceivingLaunch(existingNode, input) : undefined);
    if (!obstacle) return [{ ...candidate, drift }];
    verdicts.push({ claim: candidate.claim.name, outcome: 'stays', ...obstacle });
    return [];
  });
  return replaceable.toSorted(byEmptinessThenAge);
}

const byEmptinessThenAge = (a: DriftedNode, b: DriftedNode): number =>
  Number(isEmpty(b)) - Number(isEmpty(a)) || a.drift.since - b.drift.since || byClaimName(a, b);

/** Spreads the replacements over a window that has just opened. */
export function spreadDrift({ problem: { snapshot } }: DisruptionInput): FindPace {
  const countDrifted = ({ name }: NodePool): number =>
    snapshot.claims.filter(({ pool, drift }) => pool === name && drift !== undefined).length;
  return spreadMoves('Drifted', snapshot.takenAt, countDrifted);
}

/** Returns the pool's backoff after a failed replacement. */
export function findDriftBackoff({ pool }: Candidate, { problem: { snapshot } }: DisruptionInput): Reason | undefined {
  const until = ownValue(snapshot.driftRests, pool.name) ?? 0;
  if (until <= snapshot.takenAt) return undefined;
  return { code: 'drift-backoff', fields: { pool: pool.name, at: formatInstant(until) } };
}

export const toDriftedReason = ({ claim, drift: { reason: drift, text } }: DriftedNode): Reason => ({
  code: 'drifted',
  fields: { claim: claim.name, drift, text },
});
