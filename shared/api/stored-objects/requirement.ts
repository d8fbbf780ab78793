import type { Operator, RequirementSpec } from '../../model/requirements/requirement-specs.ts';

interface Written {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[] | undefined;
  readonly minValues?: number | undefined;
}

/** Both of our requirements and of pods' node affinity. */
export const readRequirement = ({
  key,
  operator,
  values,
  minValues,
}: Written): RequirementSpec => ({
  key,
  operator,
  ...(values ? { values } : {}),
  ...(minValues === undefined ? {} : { minValues }),
});
