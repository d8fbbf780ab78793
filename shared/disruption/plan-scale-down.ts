import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { blocksByAnnotation } from '../model/pods/disruption-pods.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import { prepareCluster } from '../scheduling/simulate-removal.ts';
import { listStaticPools } from '../scheduling/static-claims.ts';
import { disruptionCost } from './candidates.ts';

/**
 * The claims that static pools have beyond their size, in the order in which they go: without an
 * instance first, then nodes without pods, then those that nobody protects, the cheapest to disturb
 * first. Nodes that are being replaced are not counted: their replacements stay.
 *
 * Budgets do not matter here: somebody has written a smaller number.
 *
 * @param busy - claims of commands under way: their replacements are there already
 */
export function planScaleDown(
  snapshot: ClusterSnapshot,
  busy: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { claims, takenAt } = snapshot;
  const excess = listStaticPools(snapshot).flatMap((pool) => {
    const own = claims.filter((claim) => claim.pool === pool.name);
    const excessCount =
      own.filter(({ deletingAt }) => deletingAt === undefined).length - pool.replicas;
    return excessCount > 0 ? [{ pool, own }] : [];
  });
  if (excess.length === 0) return [];
  const binOf = new Map(prepareCluster(snapshot).existingNodes.map((bin) => [bin.claim?.name, bin]));
  return excess.flatMap(({ pool, own }) => {
    const active = own
      .map((claim) => ({ claim, bin: binOf.get(claim.name) }))
      .filter(
        ({ claim, bin }) =>
          claim.deletingAt === undefined && !bin?.leaving && !busy.has(claim.name),
      )
      .map(({ claim, bin }) => computeRank(claim, bin, takenAt))
      .toSorted((a, b) => a.stage - b.stage || a.cost - b.cost || (a.name < b.name ? -1 : 1));
    return active.slice(0, Math.max(0, active.length - pool.replicas)).map(({ name }) => name);
  });
}

interface Rank {
  readonly name: string;
  readonly stage: number;
  readonly cost: number;
}

function computeRank(claim: NodeClaim, bin: ExistingNode | undefined, now: number): Rank {
  const { name } = claim;
  const isProtected =
    claim.keptByHand === true || bin?.pods.some((pod) => blocksByAnnotation(pod, now)) === true;
  const cost = bin ? disruptionCost(bin) : 1;
  if (!claim.launch || !bin?.node) return { name, stage: 0, cost };
  if (isProtected) return { name, stage: 3, cost };
  return { name, stage: cost <= 1 ? 1 : 2, cost: cost * computeRemainingLife(claim, now) };
}

/** The share of its life that a node has before it; all of it where it does not expire. */
function computeRemainingLife({ createdAt, expireAfterMs }: NodeClaim, now: number): number {
  if (expireAfterMs === undefined || expireAfterMs <= 0) return 1;
  return Math.max(0, 1 - (now - createdAt) / expireAfterMs);
}
