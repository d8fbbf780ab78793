import {
  DescribePlacementGroupsCommand,
  type EC2Client,
  EC2ServiceException,
  type PlacementGroup,
} from '@aws-sdk/client-ec2';
import type { NodePlacementGroup } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';

const UNKNOWN: ReadonlySet<string> = new Set([
  'InvalidPlacementGroup.Unknown',
  'InvalidPlacementGroupId.Malformed',
]);

/** A group that is not available yet, or no more, is as good as none. */
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
      return group && readGroup(group);
    } catch (error) {
      if (!(error instanceof EC2ServiceException) || !UNKNOWN.has(error.name)) throw error;
      return undefined;
    }
  };

/** EC2 has others, which are not for nodes. */
const isKnown = (strategy: string | undefined): strategy is NodePlacementGroup['strategy'] =>
  strategy === 'cluster' || strategy === 'partition' || strategy === 'spread';

function readGroup(group: PlacementGroup): NodePlacementGroup | undefined {
  const { GroupId: id, GroupName: name = '', Strategy: strategy, PartitionCount } = group;
  if (!id || !isKnown(strategy)) return undefined;
  return { id, name, strategy, ...(PartitionCount && { partitions: PartitionCount }) };
}
