import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import type { Ownership } from '../../ports/records.ts';

/**
 * Ownership that nobody gets whose cluster is not the one that the records are of: to a new cluster
 * under an old name every node on record would be one that has vanished.
 */
export function sameClusterOnly(
  ownership: Ownership,
  identities: ClusterIdentities,
  own: ClusterIdentity,
): Ownership {
  let isSame: boolean | undefined;

  const unlessAnother =
    (ask: () => ReturnType<Ownership['claim']>): Ownership['claim'] =>
    async () => {
      isSame ??= isOneCluster(await identities.remember(own), own);
      if (isSame) return ask();
      const { arn = 'another cluster of this name' } = await identities.remember(own);
      return { outcome: 'stand-by', owner: arn, why: 'another-cluster' };
    };

  return {
    claim: unlessAnother(() => ownership.claim()),
    takeOver: unlessAnother(() => ownership.takeOver()),
    release: () => ownership.release(),
  };
}

/** As far as both know. */
function isOneCluster(known: ClusterIdentity, own: ClusterIdentity): boolean {
  const differs = <T>(a: T | undefined, b: T | undefined): boolean =>
    a !== undefined && b !== undefined && a !== b;
  return (
    known.certificateAuthority === own.certificateAuthority &&
    !differs(known.arn, own.arn) &&
    !differs(known.createdAt, own.createdAt)
  );
}
