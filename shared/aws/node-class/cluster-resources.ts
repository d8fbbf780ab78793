import type { EC2Client } from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import {
  instanceProfiles,
  isProfileUsed,
  type ProfileSettings,
  unmanagedProfiles,
} from './instance-profiles.ts';
import { removeUnusedTemplates, type TemplateUses } from './launch-templates.ts';

export interface ClusterResourceDependencies {
  readonly ec2: EC2Client;
  /** Undefined if IAM is out of reach; instance profiles are then left alone. */
  readonly iam?: IAMClient;
  readonly uses: Pick<TemplateUses, 'list'>;
}

/** The launch templates and instance profiles of a cluster, whatever NodeClass they belong to. */
export function awsClusterResources(
  { ec2, iam, uses }: ClusterResourceDependencies,
  settings: ProfileSettings,
): Pick<NodeClassResources, 'sweepTemplates' | 'sweepProfiles'> {
  const profiles = iam ? instanceProfiles(iam, isProfileUsed(ec2), settings) : unmanagedProfiles;
  return {
    sweepProfiles: profiles.sweep,
    async sweepTemplates(now) {
      await removeUnusedTemplates(ec2, settings.cluster, await uses.list(now), now);
    },
  };
}
