import type { Operator, RequirementSpec } from '../../model/requirements/requirement-specs.ts';

interface Written {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[] | undefined;
  readonly minValues?: number | undefined;
}

/** Reads a requirement of a NodePool, NodeClaim or NodeOverlay, or of a pod's node affinity. */
export const readRequirement = ({ key, operator, values, minValues }: Written): RequirementSpec => ({
  key,
  operator,
  ...(values && { values }),
  ...(minValues !== undefined && { minValues }),
});
