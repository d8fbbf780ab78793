import fc from 'fast-check';
import {
  allowsValue,
  DOES_NOT_EXIST,
  EXISTS,
  intersectRequirement,
  isIn,
  type Requirement,
} from '../../../shared/model/requirements/requirement.ts';
import {
  type Operator,
  type RequirementSpec,
  toRequirement,
} from '../../../shared/model/requirements/requirement-specs.ts';

export const requirement = (operator: Operator, values: readonly string[] = [], minValues?: number): Requirement =>
  toRequirement({ key: 'k', operator, values, ...(minValues === undefined ? {} : { minValues }) });

export const VALUES = ['a', 'b', '', '0', '1', '2', '3', '5', '9', '-1', '07', '1e3'];
export const anyValue = fc.constantFrom(...VALUES);
const anySpec: fc.Arbitrary<RequirementSpec> = fc.oneof(
  fc.record({
    key: fc.constant('k'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.uniqueArray(anyValue, { maxLength: 5 }),
  }),
  fc.record({
    key: fc.constant('k'),
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.tuple(fc.nat({ max: 9 }).map(String)),
  }),
);
/**
 * Any requirement that manifests can express: the intersection of up to three written requirements.
 */
export const anyRequirement = fc
  .array(anySpec, { minLength: 1, maxLength: 3 })
  .map((specs) => specs.map(toRequirement).reduce(intersectRequirement));

export const allowed = (one: Requirement): readonly string[] => VALUES.filter((value) => allowsValue(one, value));

/** The written requirements that a pod may have. */
export const INCOMING: Readonly<Record<string, Requirement>> = {
  In: isIn('1'),
  NotIn: requirement('NotIn', ['1']),
  Exists: EXISTS,
  DoesNotExist: DOES_NOT_EXIST,
  Gt: requirement('Gt', ['1']),
};
