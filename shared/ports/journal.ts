import type { ClusterEvent } from '../model/events.ts';
import type { DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import type { EpochMs } from '../model/time.ts';

/** A decision with its reasons, as it was made. */
export type Decision = { readonly id: string; readonly at: EpochMs } & (
  | { readonly kind: 'provisioning'; readonly plan: ProvisioningPlan }
  | { readonly kind: 'disruption'; readonly plan: DisruptionPlan }
);

/** What explanations, feeds and audits are read from. Writing never fails a decision. */
export interface Journal {
  decided(decision: Decision): Promise<void>;
  happened(event: ClusterEvent): Promise<void>;
}
