import { type ClusterSnapshot, findMissingObject } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { blocksByAnnotation } from '../model/pods/disruption-pods.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import { prepareCluster } from '../scheduling/removal/removal-state.ts';
import { listStaticPools } from '../scheduling/static-claims.ts';
import { computeDisruptionCost, listMovingPods } from './disruption-cost.ts';
import { findDoNotDisrupt } from './obstacles.ts';

/**
 * Returns the claims that static pools have in excess of their replicas, in the order of removal:
 * claims without an instance, nodes without pods, then other nodes by disruption cost; nodes with
 * do-not-disrupt last. Nodes under replacement are not counted, because their replacements stay.
 * Nothing is removed while objects are missing: they may protect a node.
 *
 * Disruption budgets do not apply: the user has reduced the replicas.
 *
 * @param busy - claims that running commands remove; their replacements exist already
 */
export function planScaleDown(snapshot: ClusterSnapshot, busy: ReadonlySet<string> = new Set()): readonly string[] {
  if (findMissingObject('remove', snapshot)) return [];
  const { claims, takenAt } = snapshot;
  const excess = listStaticPools(snapshot).flatMap((pool) => {
    const own = claims.filter((claim) => claim.pool === pool.name);
    const excessCount = own.filter(({ deletingAt }) => deletingAt === undefined).length - pool.replicas;
    return excessCount > 0 ? [{ pool, own }] : [];
  });
  if (excess.length === 0) return [];
  const existingNodeOf = new Map(
    prepareCluster(snapshot).existingNodes.map((existingNode) => [existingNode.claim?.name, existingNode]),
  );
  return excess.flatMap(({ pool, own }) => {
    const active = own
      .map((claim) => ({ claim, existingNode: existingNodeOf.get(claim.name) }))
      .filter(
        ({ claim, existingNode }) => claim.deletingAt === undefined && !existingNode?.leaving && !busy.has(claim.name),
      )
      .map(({ claim, existingNode }) => computeRank(claim, existingNode, takenAt))
      .toSorted((a, b) => a.stage - b.stage || a.cost - b.cost || (a.name < b.name ? -1 : 1));
    return active.slice(0, Math.max(0, active.length - pool.replicas)).map(({ name }) => name);
  });
}

interface Rank {
  readonly name: string;
  readonly stage: number;
  readonly cost: number;
}

function computeRank(claim: NodeClaim, existingNode: ExistingNode | undefined, now: number): Rank {
  const { name } = claim;
  if (!claim.launch || !existingNode?.node) return { name, stage: 0, cost: 1 };
  const cost = computeDisruptionCost(existingNode);
  const isProtected =
    findDoNotDisrupt(existingNode, claim) !== undefined ||
    existingNode.pods.some((pod) => blocksByAnnotation(pod, now));
  if (isProtected) return { name, stage: 3, cost };
  const stage = listMovingPods(existingNode).length === 0 ? 1 : 2;
  return { name, stage, cost: cost * computeRemainingLife(claim, now) };
}

/** Share of the node's lifetime that is left; 1 if it does not expire. */
function computeRemainingLife({ createdAt, expireAfterMs }: NodeClaim, now: number): number {
  if (expireAfterMs === undefined || expireAfterMs <= 0) return 1;
  return Math.max(0, 1 - (now - createdAt) / expireAfterMs);
}
