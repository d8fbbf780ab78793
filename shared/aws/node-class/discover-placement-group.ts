import {
  DescribePlacementGroupsCommand,
  type EC2Client,
  EC2ServiceException,
  type PlacementGroup,
} from '@aws-sdk/client-ec2';
import type { NodePlacementGroup } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';

const NOT_FOUND: ReadonlySet<string> = new Set(['InvalidPlacementGroup.Unknown', 'InvalidPlacementGroupId.Malformed']);

/** Returns undefined for a group that is not available. */
export const discoverPlacementGroup =
  (ec2: EC2Client): NodeClassResources['placementGroup'] =>
  async ({ name, id }) => {
    try {
      const { PlacementGroups: [group] = [] } = await ec2.send(
        new DescribePlacementGroupsCommand({
          ...(name !== undefined && { GroupNames: [name] }),
          ...(id !== undefined && { GroupIds: [id] }),
          Filters: [{ Name: 'state', Values: ['available'] }],
        }),
      );
      return group && toPlacementGroup(group);
    } catch (error) {
      if (!(error instanceof EC2ServiceException) || !NOT_FOUND.has(error.name)) throw error;
      return undefined;
    }
  };

/** EC2 has other strategies, which nodes cannot use. */
const isNodeStrategy = (strategy: string | undefined): strategy is NodePlacementGroup['strategy'] =>
  strategy === 'cluster' || strategy === 'partition' || strategy === 'spread';

function toPlacementGroup(group: PlacementGroup): NodePlacementGroup | undefined {
  const { GroupId: id, GroupName: name = '', Strategy: strategy, PartitionCount } = group;
  if (!id || !isNodeStrategy(strategy)) return undefined;
  return { id, name, strategy, ...(PartitionCount && { partitions: PartitionCount }) };
}
