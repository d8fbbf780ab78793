import type { EC2Client } from '@aws-sdk/client-ec2';
import { DeleteAccessEntryCommand, type EKSClient, ResourceNotFoundException } from '@aws-sdk/client-eks';
import {
  DeleteConflictException,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  type IAMClient,
  NoSuchEntityException,
  paginateListAttachedRolePolicies,
  paginateListInstanceProfilesForRole,
  paginateListRolePolicies,
} from '@aws-sdk/client-iam';
import { SECOND_MS } from '../../model/time.ts';
import type { KeptNodeRole, NodeIdentities } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';
import { instanceProfiles, isProfileUsed, type ProfileSettings } from './instance-profiles.ts';

export interface NodeIdentityDependencies {
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  readonly eks: EKSClient;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface NodeIdentitySettings extends ProfileSettings {
  /** The stack's own node role; undefined if it has none. */
  readonly roleArn?: string;
}

/** IAM lists a deleted profile for some seconds. */
const MAX_LAG_MS = 20 * SECOND_MS;
const RETRY_EVERY_MS = 4 * SECOND_MS;

/**
 * The instance profiles of the cluster and the stack's node role. CloudFormation never deletes the
 * role: it would first detach the policies, and then fail because of the profiles.
 */
export function awsNodeIdentities(
  dependencies: NodeIdentityDependencies,
  settings: NodeIdentitySettings,
): NodeIdentities {
  const { ec2, iam, clock, sleep } = dependencies;
  const profiles = instanceProfiles(iam, isProfileUsed(ec2), settings);
  const { roleArn } = settings;

  async function removeOnce(arn: string): Promise<KeptNodeRole | undefined> {
    const role = arn.slice(arn.lastIndexOf('/') + 1);
    const remaining = await listProfilesOf(iam, role);
    if (remaining.length > 0) return { role, profiles: remaining };
    await removeEntry(dependencies, settings.cluster, arn);
    try {
      await removeRole(iam, role);
    } catch (error) {
      if (!(error instanceof DeleteConflictException)) throw error;
      return { role, profiles: [] };
    }
    return undefined;
  }

  return {
    async removeUnused() {
      await profiles.removeUnused();
      if (roleArn === undefined) return undefined;
      const until = clock.now() + MAX_LAG_MS;
      for (;;) {
        const kept = await removeOnce(roleArn);
        if (!kept || clock.now() + RETRY_EVERY_MS > until) return kept;
        await sleep(RETRY_EVERY_MS);
      }
    },
  };
}

async function listProfilesOf(iam: IAMClient, RoleName: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    const pages = paginateListInstanceProfilesForRole({ client: iam }, { RoleName });
    for await (const { InstanceProfiles = [] } of pages)
      names.push(...InstanceProfiles.map(({ InstanceProfileName = '' }) => InstanceProfileName));
  } catch (error) {
    if (!(error instanceof NoSuchEntityException)) throw error;
  }
  return names;
}

/** Without the cluster or the entry there is nothing to delete. */
async function removeEntry(
  { eks }: NodeIdentityDependencies,
  clusterName: string,
  principalArn: string,
): Promise<void> {
  try {
    await eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

/** IAM deletes only a role without policies. */
async function removeRole(iam: IAMClient, RoleName: string): Promise<void> {
  try {
    const attached = paginateListAttachedRolePolicies({ client: iam }, { RoleName });
    for await (const { AttachedPolicies = [] } of attached) {
      for (const { PolicyArn } of AttachedPolicies)
        await iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
    }
    const inline = paginateListRolePolicies({ client: iam }, { RoleName });
    for await (const { PolicyNames = [] } of inline) {
      for (const PolicyName of PolicyNames) await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }));
    }
    await iam.send(new DeleteRoleCommand({ RoleName }));
  } catch (error) {
    if (!(error instanceof NoSuchEntityException)) throw error;
  }
}
