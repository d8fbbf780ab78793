import * as z from 'zod';
import { OPERATORS, type RequirementSpec } from '../model/requirements.ts';
import { named, quoted, type Refusal, ruleRefused } from './finding.ts';
import { labelKeySchema, restrictedLabel } from './labels.ts';
import { refuse } from './read-with-schema.ts';

const fields = z.object({
  key: labelKeySchema,
  operator: z.enum(OPERATORS),
  values: z.array(z.string()).optional(),
  minValues: z.int().min(1).max(50).optional(),
});
export type WrittenRequirement = z.output<typeof fields>;

const MOST_REQUIREMENTS = 100;

/** The requirements of a NodePool's template, or of a NodeClaim. */
export const requirementsSchema = (on: 'NodePool' | 'NodeClaim') =>
  z
    .array(
      fields.superRefine((requirement, ctx) => {
        const restricted = restrictedLabel(requirement.key, on);
        if (restricted) refuse(ctx, restricted, ['key']);
        const refusal = refusalOf(requirement);
        if (refusal) refuse(ctx, refusal, ['values']);
      }),
    )
    .max(MOST_REQUIREMENTS);

/** NP-05 to NP-07: what the operator asks of the values. */
function refusalOf({
  key,
  operator,
  values = [],
  minValues,
}: WrittenRequirement): Refusal | undefined {
  switch (operator) {
    case 'In':
      if (values.length === 0) {
        return ruleRefused(
          'NP-05',
          `In without values for ${named(key)}`,
          'In needs a value',
          'add values',
        );
      }
      if (minValues !== undefined && values.length < minValues) {
        return ruleRefused(
          'NP-07',
          `${values.length} values, minValues ${minValues}`,
          'In needs at least minValues values',
          `add values, or lower minValues to ${values.length}`,
        );
      }
      return undefined;
    case 'Gt':
    case 'Lt':
    case 'Gte':
    case 'Lte':
      return values.length === 1 && isBound(values[0] ?? '')
        ? undefined
        : ruleRefused(
            'NP-06',
            `${operator} of ${values.length === 0 ? 'nothing' : values.map(quoted).join(', ')}`,
            `${operator} needs exactly one whole number, 0 or more`,
            'write one number, for example values: ["4"]',
          );
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return undefined;
  }
}

const LARGEST_INT64 = 2n ** 63n - 1n;
const LONGEST_BOUND = 64;

/** A whole number from 0 to the largest int64; `+5`, `-0` and `007` are such. */
function isBound(text: string): boolean {
  if (text.length > LONGEST_BOUND || !/^[+-]?[0-9]+$/.test(text)) return false;
  const number = BigInt(text.replace(/^[+-]/, ''));
  return number <= LARGEST_INT64 && (number === 0n || !text.startsWith('-'));
}

/** Both of our requirements and of pods' node affinity. */
export const readRequirement = ({
  key,
  operator,
  values,
  minValues,
}: Pick<WrittenRequirement, 'key' | 'operator'> &
  Partial<Pick<WrittenRequirement, 'values' | 'minValues'>>): RequirementSpec => ({
  key,
  operator,
  ...(values ? { values } : {}),
  ...(minValues === undefined ? {} : { minValues }),
});
