import { createHash } from 'node:crypto';
import type { DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import type { Confirmation, Decision, DisruptionInput, ProvisioningInput } from '../ports/decision-log.ts';
import { createNameRedaction, type RedactNames } from './redact-names.ts';

type AnyDecision = Decision | Confirmation;

/** The decisions that a process can make. */
export interface Deciders {
  readonly provisioning?: (input: ProvisioningInput, id: string) => ProvisioningPlan;
  readonly disruption?: (input: DisruptionInput, id: string) => DisruptionPlan;
}

/**
 * Returns a function that replaces names in decisions by salted hashes, and makes each decision again
 * on the result: it then replays byte for byte. Ties between names may be broken otherwise than in
 * the plan that took effect; `redacted.samePlan` is false then.
 *
 * @param salt - secret: with it, a guessed name can be confirmed
 * @throws Error - of the returned function: `deciders` lacks the kind of the decision
 */
export function createDecisionRedaction(salt: string, deciders: Deciders): (decision: AnyDecision) => AnyDecision {
  const hash = (name: string): string =>
    `x${createHash('sha256').update(salt).update(name).digest('hex').slice(0, 10)}`;
  return (decision) => {
    const { id } = decision;
    if (!decision.input) return decision;
    const redact = createNameRedaction(decision.input.snapshot, hash);
    if (decision.kind === 'provisioning') {
      const input = redact(decision.input);
      const plan = findDecider(deciders, 'provisioning')(input, id);
      return { ...decision, input, plan, redacted: compare(plan, decision.plan, redact) };
    }
    const input = redact(decision.input);
    // The command of a confirmation keeps the id of its proposal.
    const plan = findDecider(deciders, 'disruption')(input, input.proposal?.id ?? id);
    return { ...decision, input, plan, redacted: compare(plan, decision.plan, redact) };
  };
}

const compare = (plan: object, real: object, redact: RedactNames) => ({
  samePlan: formatEffects(plan) === formatEffects(redact(real)),
});

/** The plan without the words in its reasons, which are not redacted one by one. */
const formatEffects = (plan: object): string =>
  JSON.stringify(plan, (key, value: unknown) => (key === 'fields' ? undefined : value));

function findDecider<K extends keyof Deciders>(deciders: Deciders, kind: K): NonNullable<Deciders[K]> {
  const decide = deciders[kind];
  if (decide) return decide;
  throw new Error(`A ${kind} decision cannot be recorded without names by this process`);
}
