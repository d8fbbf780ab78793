import type { EC2Client } from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { ClusterResources } from '../../ports/deleted-cluster.ts';
import { instanceProfiles, isProfileUsed, type ProfileSettings, toClusterPath } from './instance-profiles.ts';
import { removeClusterTemplates } from './launch-templates.ts';

export interface ClusterResourceDependencies {
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
}

export function awsClusterResources(
  { ec2, iam }: ClusterResourceDependencies,
  settings: ProfileSettings,
): ClusterResources {
  const profiles = instanceProfiles(iam, isProfileUsed(ec2), settings);
  return {
    removeTemplates: () => removeClusterTemplates(ec2, settings.cluster),
    async removeProfiles() {
      try {
        await profiles.removeUnused();
      } catch (cause) {
        const path = toClusterPath(settings);
        throw new Error(
          `instance profiles below the IAM path ${path} may remain: ${String(cause)}. ` +
            `To find them: aws iam list-instance-profiles --path-prefix ${path}`,
          { cause },
        );
      }
    },
  };
}
