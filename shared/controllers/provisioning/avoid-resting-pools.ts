import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import type { PoolRefusal, ProvisioningPlan, Unplaced } from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import { formatInstant } from '../../model/time.ts';
import { listActive } from '../node-pool/backoff.ts';

/**
 * Keeps pods away from the pools that back off for their owner. A pod is still planned onto nodes of
 * other pools; kube-scheduler may bind it anywhere.
 */
export function withPlacementBackoffs(snapshot: ClusterSnapshot, backoffs: readonly PoolBackoff[]): ClusterSnapshot {
  const active = Map.groupBy(listActive(backoffs, snapshot.takenAt), ({ owner }) => owner);
  if (active.size === 0) return snapshot;
  const pods = snapshot.pods.map((pod) => {
    const resting = active.get(toOwnerUid(pod));
    return resting && isProvisionable(pod)
      ? avoidPools(
          pod,
          resting.map(({ pool }) => pool),
        )
      : pod;
  });
  return { ...snapshot, pods };
}

function avoidPools(pod: Pod, pools: readonly string[]): Pod {
  const avoid = { key: NODEPOOL_LABEL, operator: 'NotIn', values: pools } as const;
  const terms = pod.spec.requiredNodeTerms.length > 0 ? pod.spec.requiredNodeTerms : [[]];
  return {
    ...pod,
    spec: { ...pod.spec, requiredNodeTerms: terms.map((term) => [...term, avoid]) },
  };
}

/** Gives the back-off as the reason of the pools that were kept from pods without a place. */
export function explainPlacementBackoffs(
  plan: ProvisioningPlan,
  { pods, takenAt }: ClusterSnapshot,
  backoffs: readonly PoolBackoff[],
): ProvisioningPlan {
  const active = listActive(backoffs, takenAt);
  if (active.length === 0 || plan.unplaced.length === 0) return plan;
  const owners = new Map(pods.map((pod) => [podKey(pod), toOwnerUid(pod)]));
  const unplaced = plan.unplaced.map((group): Unplaced => {
    const groupOwners = new Set(group.pods.map((pod) => owners.get(pod)));
    const resting = new Map(active.flatMap((one) => (groupOwners.has(one.owner) ? [[one.pool, one]] : [])));
    if (resting.size === 0) return group;
    // A fix would remove the requirement that only this back-off added.
    const { fix: _, otherFixes: __, ...unfixed } = group;
    return { ...unfixed, pools: group.pools.map((refusal) => explain(refusal, resting)) };
  });
  return { ...plan, unplaced };
}

function explain(refusal: PoolRefusal, resting: ReadonlyMap<string, PoolBackoff>): PoolRefusal {
  const backoff = resting.get(refusal.pool);
  if (!backoff) return refusal;
  const { pool, failures, until } = backoff;
  const fields = { pool, failures: `${failures}`, until: formatInstant(until) };
  return { pool, reasons: [{ code: 'pods-not-received', fields }] };
}
