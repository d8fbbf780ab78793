import { DOES_NOT_EXIST, EXISTS, isImpossible, type Requirement } from './requirement.ts';

export const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const;
export type Operator = (typeof OPERATORS)[number];

/** A requirement as the API writes it. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/** As a double this is one more than the integer; values this large cannot be distinguished. */
const MAX_INT64 = 2 ** 63 - 1;

/** Converts a written requirement. The manifest readers have validated operator and values. */
export function toRequirement({ operator, values = [], minValues }: RequirementSpec): Requirement {
  const flexibility = minValues === undefined ? {} : { minValues };
  switch (operator) {
    case 'In':
      return { complement: false, values: new Set(values), ...flexibility };
    case 'NotIn':
      return { complement: true, values: new Set(values), ...flexibility };
    case 'Exists':
      return { ...EXISTS, ...flexibility };
    case 'DoesNotExist':
      return { ...DOES_NOT_EXIST, ...flexibility };
    case 'Gt': {
      const above = Number(values[0]) + 1;
      // No integer is larger.
      const allowed = above >= MAX_INT64 ? DOES_NOT_EXIST : { ...EXISTS, gte: above };
      return { ...allowed, ...flexibility };
    }
    case 'Gte':
      return { ...EXISTS, gte: Number(values[0]), ...flexibility };
    case 'Lt':
      return { ...EXISTS, lte: Number(values[0]) - 1, ...flexibility };
    case 'Lte':
      return { ...EXISTS, lte: Number(values[0]), ...flexibility };
  }
}

/**
 * Converts a requirement back. The result has several entries if one operator cannot express it.
 */
export function toRequirementSpecs(key: string, requirement: Requirement): RequirementSpec[] {
  const { complement, values, gte, lte, minValues } = requirement;
  const flexibility = minValues === undefined ? {} : { minValues };
  const sorted = [...values].toSorted();
  if (!complement) {
    return sorted.length > 0
      ? [{ key, operator: 'In', values: sorted, ...flexibility }]
      : [{ key, operator: 'DoesNotExist', ...flexibility }];
  }
  const specs: RequirementSpec[] = [];
  if (sorted.length > 0) specs.push({ key, operator: 'NotIn', values: sorted, ...flexibility });
  if (gte !== undefined) specs.push({ key, operator: 'Gte', values: [`${gte}`], ...flexibility });
  if (lte !== undefined) specs.push({ key, operator: 'Lte', values: [`${lte}`], ...flexibility });
  return specs.length > 0 ? specs : [{ key, operator: 'Exists', ...flexibility }];
}

/**
 * Formats the requirement with the words of the API: `In [a, b]`, `NotIn [a] and Gte [4]`,
 * `Exists`.
 */
export function formatRequirement(requirement: Requirement): string {
  if (isImpossible(requirement)) return 'what no node can have: its terms exclude each other';
  return toRequirementSpecs('', requirement).map(formatRequirementSpec).join(' and ');
}

/** Formats the requirement as it is written: `Gt [4]`, although that means `Gte [5]`. */
export const formatRequirementSpec = ({ operator, values = [] }: RequirementSpec): string =>
  values.length > 0 ? `${operator} [${values.join(', ')}]` : operator;
