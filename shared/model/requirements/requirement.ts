/**
 * The values that a label may have: `values`, or with `complement` all other values, within integer
 * bounds. Without values and complement it means DoesNotExist.
 */
export interface Requirement {
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: number;
  readonly lte?: number;
  readonly minValues?: number;
}

const NO_VALUES: ReadonlySet<string> = new Set();
export const EXISTS: Requirement = { complement: true, values: NO_VALUES };
export const DOES_NOT_EXIST: Requirement = { complement: false, values: NO_VALUES };

/** Bounds that exclude each other: neither a value nor absence satisfies them. */
export const IMPOSSIBLE: Requirement = { complement: true, values: NO_VALUES, gte: 1, lte: 0 };
export const isImpossible = ({ gte, lte }: Requirement): boolean => gte !== undefined && lte !== undefined && gte > lte;

export const isIn = (...values: readonly string[]): Requirement => ({
  complement: false,
  values: new Set(values),
});

export const isNotIn = (...values: readonly string[]): Requirement => ({
  complement: true,
  values: new Set(values),
});

const isBounded = ({ gte, lte }: Requirement): boolean => gte !== undefined || lte !== undefined;

/** True if only absence satisfies it: DoesNotExist. */
const forbidsKey = ({ complement, values }: Requirement): boolean => !complement && values.size === 0;

/**
 * True if a node without the label satisfies it. Bounds require a value, so absence does not
 * satisfy NotIn with a bound.
 */
export const allowsAbsence = (requirement: Requirement): boolean =>
  forbidsKey(requirement) || (requirement.complement && requirement.values.size > 0 && !isBounded(requirement));

const INTEGER = /^[+-]?\d+$/;

function withinBounds(value: string, { gte, lte }: Requirement): boolean {
  if (gte === undefined && lte === undefined) return true;
  if (!INTEGER.test(value)) return false;
  const number = Number(value);
  return number >= (gte ?? -Infinity) && number <= (lte ?? Infinity);
}

export const allowsValue = (requirement: Requirement, value: string): boolean =>
  requirement.values.has(value) !== requirement.complement && withinBounds(value, requirement);

const larger = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** Returns the values that both allow. */
export function intersectRequirement(a: Requirement, b: Requirement): Requirement {
  if (isImpossible(a) || isImpossible(b)) return IMPOSSIBLE;
  const gte = larger(a.gte, b.gte);
  const lte = smaller(a.lte, b.lte);
  const minValues = larger(a.minValues, b.minValues);
  const flexibility = minValues === undefined ? {} : { minValues };
  if (gte !== undefined && lte !== undefined && gte > lte) {
    return { ...DOES_NOT_EXIST, ...flexibility };
  }

  const bounds = { ...(gte !== undefined && { gte }), ...(lte !== undefined && { lte }) };
  const bounded = { ...EXISTS, ...bounds };
  if (a.complement && b.complement) {
    const excluded = [...a.values, ...b.values].filter((value) => withinBounds(value, bounded));
    return { complement: true, values: new Set(excluded), ...bounds, ...flexibility };
  }

  // The values have been checked against the bounds, so the result does not need them.
  const [concrete, other] = a.complement ? [b, a] : [a, b];
  const values = [...concrete.values].filter(
    (value) => other.values.has(value) !== other.complement && withinBounds(value, bounded),
  );
  return { complement: false, values: new Set(values), ...flexibility };
}

/** True if some value satisfies both. */
export function intersects(a: Requirement, b: Requirement): boolean {
  const both = intersectRequirement(a, b);
  return !isImpossible(both) && (both.complement || both.values.size > 0);
}

/** True if `a` and `b` can hold on one node. A node without the label counts, too. */
export const isCompatibleRequirement = (a: Requirement, b: Requirement): boolean =>
  intersects(a, b) || (acceptsAbsence(a) && acceptsAbsence(b));

// Karpenter compares absence only if both sides have the operator NotIn or DoesNotExist.
const acceptsAbsence = (requirement: Requirement): boolean =>
  forbidsKey(requirement) || (requirement.complement && requirement.values.size > 0);
