import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import type { EpochMs } from '../../model/time.ts';
import type { CapState, ProvisioningInput } from '../../ports/decision-log.ts';
import { planProvisioning } from '../../scheduling/plan-provisioning.ts';
import { withBackoff } from '../node-pool/backoff.ts';
import { explainPlacementBackoffs, withPlacementBackoffs } from './avoid-resting-pools.ts';
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

const EMPTY_PLAN: ProvisioningPlan = { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };

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
