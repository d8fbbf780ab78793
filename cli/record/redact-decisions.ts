import { createHash, randomBytes } from 'node:crypto';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import type { Confirmation, Decision } from '../../shared/ports/decision-log.ts';
import { redactInput } from '../../shared/record/redact-names.ts';

type AnyDecision = Decision | Confirmation;

/** Hashes the names in the decisions with a new salt, and makes the decisions again. */
export function redactDecisions(decisions: readonly AnyDecision[]): readonly AnyDecision[] {
  const salt = randomBytes(16);
  const hash = (name: string): string =>
    `x-${createHash('sha256').update(salt).update(name).digest('hex').slice(0, 10)}`;
  return decisions.map((decision): AnyDecision => {
    const { id } = decision;
    if (decision.kind === 'provisioning') {
      if (!decision.input) return decision;
      const input = redactInput(decision.input, hash);
      return { ...decision, input, plan: decideProvisioning(input, id) };
    }
    if (!decision.input) return decision;
    const input = redactInput(decision.input, hash);
    // The command of a confirmation keeps the id of its proposal.
    return { ...decision, input, plan: decideDisruption(input, input.proposal?.id ?? id) };
  });
}
