import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Ownership } from '../../ports/records.ts';

type OwnershipPorts = Pick<Ports, 'ownership'>;

/** Whether this home may change the cluster now. On stand-by, others see to what it leaves alone. */
export const isOwner = async ({ ownership }: OwnershipPorts): Promise<boolean> =>
  (await ownership.claim()).outcome === 'owner';

/**
 * The same, said aloud where it is not: once a minute, for the sweep asks.
 *
 * @throws whatever the cluster answers with: who cannot be asked leaves nobody the owner
 */
export async function isOwnerOrReportsStandBy({
  ownership,
  journal,
  clock,
}: Pick<Ports, 'ownership' | 'journal' | 'clock'>): Promise<boolean> {
  const standing = await ownership.claim();
  if (standing.outcome === 'owner') return true;
  const { owner, why } = standing;
  await journal.happened({ kind: 'stand-by', at: clock.now(), owner, why });
  return false;
}

/**
 * A notice comes once, whoever reads it. One for a cluster that another home of the same stack owns
 * goes to the record that both share; what belongs to others is none of ours.
 */
export async function canHandleNotice({ ownership }: OwnershipPorts): Promise<boolean> {
  const standing = await ownership.claim();
  return standing.outcome === 'owner' || standing.why === 'another-home';
}

/**
 * Ownership that nobody gets whose cluster is not the one that the records are of: to a new cluster
 * under an old name every node on record would be one that has vanished.
 */
export function withClusterIdentityCheck(
  ownership: Ownership,
  identities: ClusterIdentities,
  own: ClusterIdentity,
): Ownership {
  let isSame: boolean | undefined;

  const unlessOtherCluster =
    (ask: () => ReturnType<Ownership['claim']>): Ownership['claim'] =>
    async () => {
      isSame ??= isSameCluster(await identities.remember(own), own);
      if (isSame) return ask();
      const { arn = 'another cluster of this name' } = await identities.remember(own);
      return { outcome: 'stand-by', owner: arn, why: 'another-cluster' };
    };

  return {
    claim: unlessOtherCluster(() => ownership.claim()),
    takeOver: unlessOtherCluster(() => ownership.takeOver()),
    release: () => ownership.release(),
  };
}

/** As far as both know. */
function isSameCluster(recorded: ClusterIdentity, own: ClusterIdentity): boolean {
  const differs = <T>(a: T | undefined, b: T | undefined): boolean =>
    a !== undefined && b !== undefined && a !== b;
  return (
    recorded.certificateAuthority === own.certificateAuthority &&
    !differs(recorded.arn, own.arn) &&
    !differs(recorded.createdAt, own.createdAt)
  );
}
