import { holds, matchesArn, matchesPattern, type RequestContext } from './conditions.ts';
import type { Statement } from './policy.ts';

/** One question to IAM. A request may raise several: one for each resource type. */
export interface Check {
  /** With its service: `ec2:RunInstances`. */
  readonly action: string;
  /** An ARN, or `*` for actions without resource types. */
  readonly resource: string;
  readonly context: RequestContext;
}

/** IAM's answer and the statement that decided; none decides if no statement matches. */
export interface Answer {
  readonly isAllowed: boolean;
  readonly by?: Statement;
}

/**
 * Evaluates identity policies: an explicit deny wins, then any allow; else the request is denied.
 *
 * @see docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function evaluate(statements: readonly Statement[], check: Check): Answer {
  const matching = statements.filter((statement) => appliesTo(statement, check));
  const denying = matching.find(({ effect }) => effect === 'Deny');
  if (denying) return { isAllowed: false, by: denying };
  const [allowing] = matching;
  return allowing ? { isAllowed: true, by: allowing } : { isAllowed: false };
}

/** Lists the statements that allow a request, each by itself. */
export const listAllowing = (statements: readonly Statement[], check: Check): readonly Statement[] =>
  statements.filter((statement) => statement.effect === 'Allow' && appliesTo(statement, check));

function appliesTo(statement: Statement, check: Check): boolean {
  return (
    hasAction(statement, check) &&
    hasResource(statement, check) &&
    Object.entries(statement.conditions).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, key, values, check.context)),
    )
  );
}

function hasAction({ actions, notActions }: Statement, { action }: Check): boolean {
  const matches = (pattern: string): boolean => matchesPattern(action.toLowerCase(), pattern.toLowerCase());
  return notActions ? !notActions.some(matches) : actions.some(matches);
}

function hasResource({ resources, notResources }: Statement, { resource }: Check): boolean {
  const matches = (pattern: string): boolean => pattern === '*' || (resource !== '*' && matchesArn(resource, pattern));
  return notResources ? !notResources.some(matches) : resources.some(matches);
}

/**
 * Says why nothing allows the request: the statements that name action and resource, and the
 * condition of each that does not hold.
 */
export function explainDenial(statements: readonly Statement[], check: Check): string {
  const { by } = evaluate(statements, check);
  if (by) return `denied by ${by.name}`;
  const near = statements.filter((one) => one.effect === 'Allow' && hasAction(one, check) && hasResource(one, check));
  if (near.length === 0) {
    const named = statements.some((one) => hasAction(one, check));
    return named ? 'no statement has this resource' : 'no statement has this action';
  }
  return near.map((one) => `${one.name}: ${listFailing(one, check).join(', ')}`).join('; ');
}

function listFailing({ conditions }: Statement, { context }: Check): readonly string[] {
  return Object.entries(conditions).flatMap(([operator, keys]) =>
    Object.entries(keys)
      .filter(([key, values]) => !holds(operator, key, values, context))
      .map(([key]) => `${key} does not hold`),
  );
}
