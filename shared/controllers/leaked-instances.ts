import type { NodeClaim } from '../model/node-claim.ts';
import type { Instance } from '../ports/cloud.ts';
import type { Ports } from '../ports/ports.ts';

/** Above both, so many instances without a record speak of a lost table, not of leaks. */
const SUSPICIOUS_COUNT = 5;
const SUSPICIOUS_SHARE = 0.2;

/**
 * Instances whose claim has ended, that are not the one which their claim became (a launch that was
 * repeated), or that have no claim at all. A claim is stored before its instance
 * is launched, so that one without a record has outlived it; but an empty table proves nothing.
 *
 * @param instances - read before `claims`
 */
export async function findLeaked(
  { nodeClaims }: Pick<Ports, 'nodeClaims'>,
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<readonly Instance[]> {
  const current = new Map(claims.map((claim) => [claim.name, claim]));
  const suspects = instances.filter(
    (instance) =>
      (instance.state === 'pending' || instance.state === 'running') &&
      !isInstanceOf(current.get(instance.claim), instance),
  );

  const ended: Instance[] = [];
  const unknown: Instance[] = [];
  for (const instance of suspects) {
    const stored = await nodeClaims.find(instance.claim);
    if (!stored) unknown.push(instance);
    else if (stored.claim.terminatedAt !== undefined || isAnother(stored.claim, instance)) {
      ended.push(instance);
    }
  }
  return isPlausible(unknown, instances, claims) ? [...ended, ...unknown] : ended;
}

/** While a launch is under way, any instance of the claim may be the one. */
const isInstanceOf = (claim: NodeClaim | undefined, instance: Instance): boolean =>
  claim !== undefined && !isAnother(claim, instance);

const isAnother = ({ launch }: NodeClaim, { providerId }: Instance): boolean =>
  launch !== undefined && launch.providerId !== providerId;

const isPlausible = (
  unknown: readonly Instance[],
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
): boolean =>
  claims.length > 0 &&
  (unknown.length <= SUSPICIOUS_COUNT || unknown.length <= SUSPICIOUS_SHARE * instances.length);
