import type { Answer } from '../../forward.ts';
import type { AwsRequest } from './aws-request.ts';

/** Sends a request on: to the next rule, and after the last one to the emulator. */
export type Pass = (request: AwsRequest) => Promise<Answer>;

/**
 * One way in which AWS is stricter than the emulators. A rule refuses a request, passes it on, or
 * changes the request or its answer.
 *
 * Rules also see what CloudFormation does: each step of a stack is a request of
 * {@link CLOUD_FORMATION}, such as `iam.DeleteRole`. A refusal fails the resource.
 */
export interface Rule {
  readonly name: string;
  /** True if the rule only costs time, so that measurements of latency run without it. */
  readonly isDelay?: true;
  answer(request: AwsRequest, pass: Pass): Promise<Answer>;
}

/** Which of the rules that only cost time are in force. */
export type Delays = 'all' | 'none' | readonly string[];

export interface Rules {
  answer(request: AwsRequest, pass: Pass): Promise<Answer>;
  /** Switches rules that only cost time on or off; there is no switch for other rules. */
  delay(by: Delays): void;
}

/**
 * Applies rules in their order: the first one sees the request first and its answer last.
 *
 * @throws Error - `delay` names a rule that does not exist or does more than cost time
 */
export function createRules(rules: readonly Rule[], initialDelays: Delays = 'all'): Rules {
  const names = rules.flatMap(({ name, isDelay }) => (isDelay ? [name] : []));
  let inForce: ReadonlySet<string> = new Set();

  function delay(by: Delays): void {
    const chosen = by === 'all' ? names : by === 'none' ? [] : by;
    const unknown = chosen.filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`no rule that only costs time: ${unknown.join(', ')}`);
    inForce = new Set(chosen);
  }

  delay(initialDelays);
  return {
    answer: (request, pass) =>
      rules.reduceRight<Pass>(
        (next, rule) => (sent) => (rule.isDelay && !inForce.has(rule.name) ? next(sent) : rule.answer(sent, next)),
        pass,
      )(request),
    delay,
  };
}
