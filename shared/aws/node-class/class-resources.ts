import {
  DescribePlacementGroupsCommand,
  type EC2Client,
  EC2ServiceException,
  type PlacementGroup,
} from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { TypeSettings } from '../../ec2/catalogue/instance-types.ts';
import type { NodePlacementGroup } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import type { TemplateUses } from '../dynamodb/template-uses.ts';
import { discoverImages } from './discover-images.ts';
import { discoverSecurityGroups, discoverSubnets } from './discover-network.ts';
import { discoverReservations } from './discover-reservations.ts';
import { dryRunLaunch } from './dry-run-launch.ts';
import { instanceProfiles, isProfileUsed, type ProfileSettings, unmanagedProfiles } from './instance-profiles.ts';
import { type LaunchTemplates, removeTemplatesOf, removeUnusedTemplates } from './launch-templates.ts';

export interface NodeClassResourceDependencies {
  /** Undefined if launches are not dry-run. */
  readonly templates?: LaunchTemplates;
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
  /** Undefined if IAM is out of reach; no instance profiles are then created. */
  readonly iam?: IAMClient;
  /** Undefined if access entries are not looked up. */
  readonly nodeAccess?: NonNullable<NodeClassResources['nodeAccess']>;
  readonly uses: Pick<TemplateUses, 'list'>;
}

export interface ClassSettings extends ProfileSettings {
  /** How instance types are computed; undefined for the defaults. */
  readonly types?: TypeSettings;
}

/** The AWS resources that node classes select in one account and region. Every call queries AWS. */
export function awsNodeClassResources(
  { ec2, ssm, iam, uses, templates, nodeAccess }: NodeClassResourceDependencies,
  settings: ClassSettings,
): NodeClassResources {
  const profiles = iam ? instanceProfiles(iam, isProfileUsed(ec2), settings) : unmanagedProfiles;
  return {
    subnets: discoverSubnets(ec2),
    securityGroups: discoverSecurityGroups(ec2),
    images: discoverImages({ ec2, ssm }),
    reservations: discoverReservations(ec2),
    placementGroup: discoverPlacementGroup(ec2),
    instanceProfile: profiles.ensure,
    ...(nodeAccess && { nodeAccess }),
    ...(templates && {
      dryRunLaunch: (resolved, tenancy) => dryRunLaunch({ ec2, templates }, resolved, { tenancy, ...settings }),
    }),
    async release(owner) {
      await profiles.release(owner);
      await removeTemplatesOf(ec2, settings.cluster, owner.name);
    },
    sweepProfiles: profiles.sweep,
    async sweepTemplates(now) {
      await removeUnusedTemplates(ec2, settings.cluster, await uses.list(now), now);
    },
  };
}

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
