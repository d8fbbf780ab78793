import * as z from 'zod';

/** A policy statement, with its parts as lists. */
export interface Statement {
  /** The policy that has it, and its number there: `NodeClassFunctionRole #3`. */
  readonly name: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly notActions?: readonly string[];
  readonly resources: readonly string[];
  readonly notResources?: readonly string[];
  /** Operator, key, values. */
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const oneOrMore = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const value = z.union([z.string(), z.boolean().transform(String), z.number().transform(String)]);
const values = z.union([value.transform((one) => [one]), z.array(value)]);

const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore.optional(),
  NotAction: oneOrMore.optional(),
  Resource: oneOrMore.optional(),
  NotResource: oneOrMore.optional(),
  Condition: z.record(z.string(), z.record(z.string(), values)).default({}),
});

const documentSchema = z.object({
  Statement: z.union([statementSchema.transform((one) => [one]), z.array(statementSchema)]),
});

/**
 * Reads an identity policy.
 *
 * @throws ZodError - it has a part that the evaluator does not know, such as a principal
 */
export function parsePolicy(name: string, document: unknown): readonly Statement[] {
  return documentSchema.parse(document).Statement.map((statement, index) => ({
    name: `${name} #${index + 1}`,
    effect: statement.Effect,
    actions: statement.Action ?? [],
    ...(statement.NotAction && { notActions: statement.NotAction }),
    resources: statement.Resource ?? [],
    ...(statement.NotResource && { notResources: statement.NotResource }),
    conditions: statement.Condition,
  }));
}
