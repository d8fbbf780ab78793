import { PARTITION_LABEL } from '../../../model/labels.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { NodePlacementGroup } from '../../../model/nodes/resolved-node-class.ts';
import { allowsValue } from '../../../model/requirements/requirement.ts';
import { toRequirements } from '../../../model/requirements/requirements.ts';

/** Lists the partitions of the group, in the order of their names. */
export const listPartitions = ({ strategy, partitions = 0 }: NodePlacementGroup): readonly string[] =>
  strategy === 'partition' ? Array.from({ length: partitions }, (_, at) => `${at + 1}`) : [];

/** Returns the first partition that the claim allows, or undefined if EC2 may choose any. */
export function findPartition(
  { requirements }: Pick<NodeClaim, 'requirements'>,
  group: NodePlacementGroup,
): string | undefined {
  const requirement = toRequirements(requirements).get(PARTITION_LABEL);
  const all = listPartitions(group);
  const allowed = all.filter((partition) => requirement && allowsValue(requirement, partition));
  const isOpen = requirement?.complement === true && allowed.length === all.length;
  return isOpen ? undefined : allowed[0];
}
