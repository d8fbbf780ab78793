import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { DisruptionPlan, ProvisioningPlan } from '../../shared/model/plans.ts';
import type { DecisionInput } from '../../shared/ports/decision-log.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';

export type ReplayedPlan =
  | { readonly kind: 'provisioning'; readonly plan: ProvisioningPlan }
  | { readonly kind: 'disruption'; readonly plan: DisruptionPlan };

/** Makes the decision again from its input. */
function decideAgain(input: DecisionInput, id: string): ReplayedPlan {
  if (input.kind === 'provisioning') {
    return { kind: 'provisioning', plan: decideProvisioning(input, id) };
  }
  // The command of a confirmation keeps the id of its proposal.
  const decisionId = input.proposal?.id ?? id;
  return { kind: 'disruption', plan: decideDisruption(input, decisionId) };
}

/** True if this release decides byte for byte as the release that made the record. */
export const isReplayedEqually = ({ input, id, planJson }: ReadDecision): boolean =>
  JSON.stringify(decideAgain(input, id).plan) === planJson;
