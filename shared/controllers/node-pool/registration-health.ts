import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PoolVersion, RegistrationResult } from '../../model/nodes/registration-health.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Records for the condition `NodeRegistrationHealthy` that the Node of a claim registered, or that
 * the claim was given up before. Claims of an earlier pool of the same name do not count.
 *
 * @see Karpenter, pkg/controllers/nodeclaim/lifecycle: registration.go and liveness.go
 */
export async function recordRegistrationHealth(
  { registrationHealths, clock }: Pick<Ports, 'registrationHealths' | 'clock'>,
  { before, after, pool }: ClaimStep,
): Promise<void> {
  const result = findResult(before, after);
  if (!result || !pool || (after.poolUid !== undefined && after.poolUid !== pool.uid)) return;
  await registrationHealths.record(pool, result, clock.now());
}

interface ClaimStep {
  readonly before: NodeClaim;
  readonly after: NodeClaim;
  /** The claim's NodePool as it is now. */
  readonly pool: PoolVersion | undefined;
}

function findResult(before: NodeClaim, after: NodeClaim): RegistrationResult | undefined {
  if (before.registeredAt === undefined && after.registeredAt !== undefined) {
    return { outcome: 'registered' };
  }
  if (before.removal !== undefined) return undefined;
  const { removal, launch, waitsFor } = after;
  if (removal !== 'LaunchTimeout' && removal !== 'RegistrationTimeout') return undefined;
  if (launch || waitsFor?.condition !== 'Launched') {
    return { outcome: 'failed', reason: 'RegistrationFailed', message: 'Failed to register node' };
  }
  return { outcome: 'failed', reason: waitsFor.reason, message: waitsFor.message };
}
