import type { Labels } from './labels.ts';
import { labelValue, normaliseLabelKey } from './labels.ts';

export const OPERATORS = [
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
  'Gt',
  'Lt',
  'Gte',
  'Lte',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** A requirement as the API writes it. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/**
 * The values that a label may have: `values`, or with `complement` everything else, within integer
 * bounds. A concrete requirement without values is DoesNotExist.
 */
export interface Requirement {
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: number;
  readonly lte?: number;
  readonly minValues?: number;
}

/** One requirement per normalised key. An absent key allows any value, and none. */
export type Requirements = ReadonlyMap<string, Requirement>;

const NO_VALUES: ReadonlySet<string> = new Set();
export const EXISTS: Requirement = { complement: true, values: NO_VALUES };
export const DOES_NOT_EXIST: Requirement = { complement: false, values: NO_VALUES };
export const NO_REQUIREMENTS: Requirements = new Map();

/** No value satisfies it, and neither does absence: bounds that exclude each other. */
const IMPOSSIBLE: Requirement = { complement: true, values: NO_VALUES, gte: 1, lte: 0 };
const isImpossible = ({ gte, lte }: Requirement): boolean =>
  gte !== undefined && lte !== undefined && gte > lte;

/** As a double, which is one more than the integer; values this large are not told apart. */
const MAX_INT64 = 2 ** 63 - 1;

export const isIn = (...values: readonly string[]): Requirement => ({
  complement: false,
  values: new Set(values),
});

export const isNotIn = (...values: readonly string[]): Requirement => ({
  complement: true,
  values: new Set(values),
});

/** Reads one written requirement; operator and values are validated where manifests are read. */
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
      // Nothing is above the largest integer.
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

const isBounded = ({ gte, lte }: Requirement): boolean => gte !== undefined || lte !== undefined;

/** Allowed only to be absent: DoesNotExist. */
const forbidsKey = ({ complement, values }: Requirement): boolean =>
  !complement && values.size === 0;

/**
 * Whether a node without the label satisfies it. A bound demands a value, so NotIn with a bound is
 * not satisfied by absence.
 */
export const allowsAbsence = (requirement: Requirement): boolean =>
  forbidsKey(requirement) ||
  (requirement.complement && requirement.values.size > 0 && !isBounded(requirement));

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

/** The values that both allow. */
export function intersectRequirement(a: Requirement, b: Requirement): Requirement {
  if (isImpossible(a) || isImpossible(b)) return IMPOSSIBLE;
  const gte = larger(a.gte, b.gte);
  const lte = smaller(a.lte, b.lte);
  const minValues = larger(a.minValues, b.minValues);
  const flexibility = minValues === undefined ? {} : { minValues };
  if (gte !== undefined && lte !== undefined && gte > lte) {
    return { ...DOES_NOT_EXIST, ...flexibility };
  }

  const bounds = { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) };
  const bounded = { ...EXISTS, ...bounds };
  if (a.complement && b.complement) {
    const excluded = [...a.values, ...b.values].filter((value) => withinBounds(value, bounded));
    return { complement: true, values: new Set(excluded), ...bounds, ...flexibility };
  }

  // A concrete result needs no bounds any more: its values have passed them.
  const [concrete, other] = a.complement ? [b, a] : [a, b];
  const values = [...concrete.values].filter(
    (value) => other.values.has(value) !== other.complement && withinBounds(value, bounded),
  );
  return { complement: false, values: new Set(values), ...flexibility };
}

/** Whether some value satisfies both. */
export function intersects(a: Requirement, b: Requirement): boolean {
  const both = intersectRequirement(a, b);
  return !isImpossible(both) && (both.complement || both.values.size > 0);
}

/** Whether `a` and `b` can hold on one node, its label absent included. */
export const isCompatibleRequirement = (a: Requirement, b: Requirement): boolean =>
  intersects(a, b) || (acceptsAbsence(a) && acceptsAbsence(b));

// Karpenter's rule 2 asks for the operators NotIn or DoesNotExist on both sides.
const acceptsAbsence = (requirement: Requirement): boolean =>
  forbidsKey(requirement) || (requirement.complement && requirement.values.size > 0);

export function toRequirements(specs: Iterable<RequirementSpec>): Requirements {
  const all = new Map<string, Requirement>();
  for (const spec of specs) narrow(all, normaliseLabelKey(spec.key), toRequirement(spec));
  return all;
}

export const requirementsOfLabels = (labels: Labels): Requirements =>
  new Map(Object.entries(labels).map(([key, value]) => [normaliseLabelKey(key), isIn(value)]));

/** All of `sets` at once. */
export function intersectRequirements(...sets: readonly Requirements[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const set of sets) {
    for (const [key, requirement] of set) narrow(all, key, requirement);
  }
  return all;
}

/**
 * All of `sets` at once, on one node. Where two of them exclude each other nothing is left, while an
 * intersection would leave DoesNotExist: a node without the label must not pass for one with it.
 */
export function conjunctionOf(...sets: readonly Requirements[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const set of sets) {
    for (const [key, requirement] of set) {
      const present = all.get(key) ?? requirement;
      const holds = isCompatibleRequirement(present, requirement);
      all.set(key, holds ? intersectRequirement(present, requirement) : IMPOSSIBLE);
    }
  }
  return all;
}

function narrow(all: Map<string, Requirement>, key: string, requirement: Requirement): void {
  const present = all.get(key);
  all.set(key, present ? intersectRequirement(present, requirement) : requirement);
}

export interface Conflict {
  readonly key: string;
  readonly wanted: Requirement;
  /** Absent: the key is not defined there at all. */
  readonly given?: Requirement;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * The first reason why `wanted` cannot hold where `given` holds.
 *
 * @param mayBeUndefined - keys that `given` need not define; none for real nodes, whose labels are
 *   all there is (strict), the well-known ones for nodes that do not exist yet (loose)
 * @see Karpenter, Requirements.Compatible
 */
export function findConflict(
  given: Requirements,
  wanted: Requirements,
  mayBeUndefined: ReadonlySet<string> = NO_KEYS,
): Conflict | undefined {
  for (const [key, requirement] of wanted) {
    const present = given.get(key);
    if (present) {
      if (!isCompatibleRequirement(present, requirement)) {
        return { key, wanted: requirement, given: present };
      }
    } else if (!mayBeUndefined.has(key) && !allowsAbsence(requirement)) {
      return { key, wanted: requirement };
    }
  }
  return undefined;
}

/** Whether a node with exactly these labels satisfies `requirements`. */
export function matchesLabels(requirements: Requirements, labels: Labels): boolean {
  for (const [key, requirement] of requirements) {
    const value = labelValue(labels, key);
    const holds =
      value === undefined ? allowsAbsence(requirement) : allowsValue(requirement, value);
    if (!holds) return false;
  }
  return true;
}

/** Writes a requirement back; several entries where one operator cannot say it all. */
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

/** For people, in the API's words: `In [a, b]`, `NotIn [a] and Gte [4]`, `Exists`. */
export function formatRequirement(requirement: Requirement): string {
  if (isImpossible(requirement)) return 'what no node can have: its terms exclude each other';
  return toRequirementSpecs('', requirement)
    .map(({ operator, values }) => (values ? `${operator} [${values.join(', ')}]` : operator))
    .join(' and ');
}
