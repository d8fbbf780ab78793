import type { Reason } from '../../model/explanations/reasons.ts';
import type { Drift } from '../../model/nodes/drift.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { NodeVerdict } from '../../model/plans.ts';
import { formatInstant } from '../../model/time.ts';
import { type Candidate, candidateOf, heldAgainstDrift, nominated, type Round } from '../candidates.ts';

export type Drifted = Candidate & { readonly drift: Drift };

/**
 * Nodes of such pools that may be replaced, in the order of their turns: without pods first, then the
 * one that drifted first. Why one has no turn is added to `verdicts`.
 */
export function driftedNodes(
  round: Round,
  verdicts: NodeVerdict[],
  isOfPool: (pool: NodePool) => boolean,
): readonly Drifted[] {
  const { problem } = round;
  const found = problem.bins.flatMap((bin): Drifted[] => {
    const candidate = candidateOf(bin, round);
    const drift = bin.claim?.drift;
    if (!candidate || !drift || !isOfPool(candidate.pool)) return [];
    const obstacle =
      nominated(bin, candidate.claim, problem) ?? heldAgainstDrift(bin, candidate.claim, problem);
    if (!obstacle) return [{ ...candidate, drift }];
    verdicts.push({ claim: candidate.claim.name, outcome: 'stays', ...obstacle });
    return [];
  });
  return found.toSorted(emptyThenOldest);
}

const emptyThenOldest = (a: Drifted, b: Drifted): number =>
  Number(a.disruptionCost > 1) - Number(b.disruptionCost > 1) ||
  a.drift.since - b.drift.since ||
  (a.claim.name < b.claim.name ? -1 : 1);

/** After a replacement that did not come up, the pool is left alone for a while. */
export function resting({ pool }: Candidate, { problem: { snapshot } }: Round): Reason | undefined {
  const until = snapshot.driftRests?.[pool.name] ?? 0;
  if (until <= snapshot.takenAt) return undefined;
  return { code: 'drift-rests', fields: { pool: pool.name, at: formatInstant(until) } };
}

export const goesForDrift = ({ claim, drift: { reason: drift, text } }: Drifted): Reason => ({
  code: 'drifted',
  fields: { claim: claim.name, drift, text },
});

export const staysForNow = ({ claim }: Candidate, reason: Reason): NodeVerdict => ({
  claim: claim.name,
  outcome: 'stays',
  reason,
});
