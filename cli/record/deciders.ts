import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { Deciders } from '../../shared/record/redact-decision.ts';

/** The command and the controller make decisions of every kind. */
export const DECIDERS: Deciders = {
  provisioning: decideProvisioning,
  disruption: decideDisruption,
};
