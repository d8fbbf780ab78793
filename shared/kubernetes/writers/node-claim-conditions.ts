import { listClaimConditions } from '../../model/nodes/claim-conditions.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { formatInstant } from '../../model/time.ts';

/** An entry of a NodeClaim's `status.conditions`. */
export interface NodeClaimCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

/**
 * The conditions of a record as the API server stores them.
 *
 * @param generation - of the stored object; `kubectl wait` compares it
 */
export const toConditions = (claim: NodeClaim, generation: number): readonly NodeClaimCondition[] =>
  listClaimConditions(claim).map(({ since, message = '', ...condition }) => ({
    ...condition,
    message,
    lastTransitionTime: formatInstant(since),
    observedGeneration: generation,
  }));
