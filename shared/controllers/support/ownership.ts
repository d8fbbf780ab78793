/*
 * Ownership and hand-over: one process, or one set of Lambda functions, changes a cluster.
 *
 * The owner holds the Lease `kube-system/mortise`. Every controller calls `isOwner` before it changes
 * something; on stand-by it does nothing. If the Lease cannot be read, no process acts.
 *
 *     stack A, functions                             owner, renewed by each sweep (3 min)
 *     ----------------------+------------------------+--------------------------------> time
 *                           |                        |
 *     controller starts:    | `takeOver`             | crash: silent for 30 s
 *     controller            | owner (30 s) ----------+
 *     functions             | stand-by               | `claim` succeeds: owner again
 *
 * - `claim` takes a free or expired Lease. `takeOver` also takes it from another process of the same stack,
 *   never from another stack.
 * - Karpenter has precedence: while its own Lease is fresh (1 min), Mortise stands by.
 * - A take-over from another stack, an uninstallation or Karpenter starts a quiet time: no voluntary disruption
 *   for ten minutes, if the predecessor was active within the last ten minutes. Each node then has the reason
 *   `quiet-after-hand-over`.
 * - Processes of one stack, in any mode, share the table, so that a new owner continues at once where the old one
 *   stopped.
 * - A cluster that was created again under an old name is refused (`withClusterIdentityCheck`).
 *
 * The rules are in `model/ownership.ts`, the Lease in `kubernetes/kubernetes-ownership.ts`.
 */

import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Ownership } from '../../ports/records.ts';

type OwnershipPorts = Pick<Ports, 'ownership'>;

/**
 * True if this process may change the cluster now. A process on stand-by leaves it to the owner.
 */
export const isOwner = async ({ ownership }: OwnershipPorts): Promise<boolean> =>
  (await ownership.claim()).outcome === 'owner';

/**
 * The same, and reports a stand-by. The sweep calls it, so the report comes once a minute.
 *
 * @throws if the owner cannot be read: then no process acts
 */
export async function isOwnerOrReportsStandBy({
  ownership,
  decisionLog,
  clock,
}: Pick<Ports, 'ownership' | 'decisionLog' | 'clock'>): Promise<boolean> {
  const standing = await ownership.claim();
  if (standing.outcome === 'owner') return true;
  const { owner, why } = standing;
  await decisionLog.recordEvent({ kind: 'stand-by', at: clock.now(), owner, why });
  return false;
}

/**
 * True if this process may consume a notice. A notice is delivered once; one for a cluster that
 * another process of the same stack owns is written to the table that both share, all others are
 * left alone.
 */
export async function canHandleNotice({ ownership }: OwnershipPorts): Promise<boolean> {
  const standing = await ownership.claim();
  return standing.outcome === 'owner' || standing.why === 'another-process';
}

/**
 * Refuses ownership if the cluster is not the one that the records were written for. In a new
 * cluster under an old name, every recorded node would count as vanished.
 */
export function withClusterIdentityCheck(
  ownership: Ownership,
  identities: ClusterIdentities,
  expected: ClusterIdentity,
): Ownership {
  let isSame: boolean | undefined;

  const unlessOtherCluster =
    (ask: () => ReturnType<Ownership['claim']>): Ownership['claim'] =>
    async () => {
      isSame ??= isSameCluster(await identities.remember(expected), expected);
      if (isSame) return ask();
      const { arn = 'another cluster of this name' } = await identities.remember(expected);
      return { outcome: 'stand-by', owner: arn, why: 'another-cluster' };
    };

  return {
    claim: unlessOtherCluster(() => ownership.claim()),
    takeOver: unlessOtherCluster(() => ownership.takeOver()),
    release: () => ownership.release(),
  };
}

/** Compares only what both identities contain. */
export function isSameCluster(recorded: ClusterIdentity, expected: ClusterIdentity): boolean {
  const differs = <T>(a: T | undefined, b: T | undefined): boolean => a !== undefined && b !== undefined && a !== b;
  return (
    recorded.certificateAuthority === expected.certificateAuthority &&
    !differs(recorded.arn, expected.arn) &&
    !differs(recorded.createdAt, expected.createdAt)
  );
}
