import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import {
  EMPTY_PLAN,
  type PlannedClaim,
  type PoolRefusal,
  type ProvisioningPlan,
  type Unplaced,
} from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import type { CapState, ProvisioningInput } from '../../ports/decision-log.ts';
import { planProvisioning } from '../../scheduling/plan-provisioning.ts';
import { listActive, withBackoff } from '../node-pool/backoff.ts';
import { addHeldBackPods, withoutHeldBackPods } from './held-back-pods.ts';
import { splitByCaps, type WithheldLaunches } from './launch-caps.ts';
import { withholdRepeatedLaunches } from './withhold-launches.ts';

/** The input, besides the snapshot, of a plan that is not carried out: back-off and caps do not apply. */
export const UNLIMITED_INPUT: Omit<ProvisioningInput, 'snapshot'> = {
  kind: 'provisioning',
  backoffs: { registration: [], launch: [], placement: [] },
  caps: {
    // Infinity cannot be written as JSON.
    launchesPerMinute: Number.MAX_SAFE_INTEGER,
    hourlyUsd: Number.MAX_SAFE_INTEGER,
    use: { launches: 0, usd: 0, nodes: 0 },
  },
  anticipate: false,
};

/** The input of a plan; the caps limit its launches afterwards. */
export type PlanningInput = Omit<ProvisioningInput, 'caps'>;

export interface ProvisioningPlanning {
  readonly plan: ProvisioningPlan;
  /** When to plan again for pods whose launch is withheld; `undefined` if none is. */
  readonly retryAt?: EpochMs;
}

/**
 * Decides where pending pods run and what is launched for them. A record of the input repeats the
 * decision.
 *
 * @param id - of the decision; the names of new claims derive from it
 */
export const decideProvisioning = (input: ProvisioningInput, id: string): ProvisioningPlan =>
  limitToCaps(planLaunches(input, id).plan, input.caps).plan;

/** Plans places and launches, without the launches that a back-off withholds. */
export function planLaunches(
  { snapshot, backoffs, anticipate, heldBack }: PlanningInput,
  id: string,
): ProvisioningPlanning {
  // Nothing of the cluster may be looked at.
  if (heldBack?.pause) return { plan: addHeldBackPods(EMPTY_PLAN, heldBack, snapshot) };
  const usable = {
    ...withPlacementBackoffs(withoutHeldBackPods(snapshot, heldBack), backoffs.placement),
    pools: withBackoff(snapshot.pools, backoffs, snapshot.takenAt),
  };
  // An owner whose pods are held back does not lack them.
  const options = { anticipate: anticipate && heldBack === undefined };
  const planned = planProvisioning(usable, id, options);
  const reported = addHeldBackPods(planned, heldBack, snapshot);
  const explained = explainPlacementBackoffs(reported, snapshot, backoffs.placement);
  return withholdRepeatedLaunches(explained, snapshot, backoffs.placement);
}

export interface CappedPlan {
  readonly plan: ProvisioningPlan;
  /** Launches that the plan leaves out because of a cap; `undefined` if there are none. */
  readonly withheld?: WithheldLaunches;
}

export function limitToCaps(plan: ProvisioningPlan, caps: CapState): CappedPlan {
  const { allowed, withheld, cap } = splitByCaps(plan.claims, caps);
  if (!cap) return { plan };
  return { plan: withClaims(plan, allowed), withheld: { claims: withheld, cap } };
}

const withClaims = (plan: ProvisioningPlan, claims: readonly PlannedClaim[]): ProvisioningPlan => ({
  ...plan,
  claims,
  hourlyUsd: claims.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0),
});

/**
 * Keeps pods away from the pools that back off for their owner. A pod is still planned onto nodes of
 * other pools; kube-scheduler may bind it anywhere.
 */
function withPlacementBackoffs(snapshot: ClusterSnapshot, backoffs: readonly PoolBackoff[]): ClusterSnapshot {
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
function explainPlacementBackoffs(
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
