import * as z from 'zod';
import { ec2Principal } from './ec2-launch.ts';
import {
  ask,
  onAnything,
  operation,
  requestTags,
  resourceTags,
  type ServiceRequests,
  tagsSchema,
  toArn,
} from './request.ts';

const profileSchema = z.object({ InstanceProfileName: z.string() });

const onProfile = (action: string) =>
  operation(profileSchema, ({ InstanceProfileName }, account) => {
    const arn = account.profileArn(InstanceProfileName);
    return [ask(account, `iam:${action}`, arn, resourceTags(account, arn))];
  });

const roleSchema = z.object({ RoleName: z.string() });

const onRole = (action: string) =>
  operation(roleSchema, ({ RoleName }, account) => [ask(account, `iam:${action}`, account.roleArn(RoleName))]);

export const IAM: ServiceRequests = {
  prefix: 'iam',
  operations: {
    // IAM supports no resource for this list, not even by path.
    ListInstanceProfiles: onAnything('iam:ListInstanceProfiles'),
    GetRole: onRole('GetRole'),
    SimulatePrincipalPolicy: operation(z.object({ PolicySourceArn: z.string() }), ({ PolicySourceArn }, account) => [
      ask(account, 'iam:SimulatePrincipalPolicy', PolicySourceArn),
    ]),
    ListInstanceProfilesForRole: onRole('ListInstanceProfilesForRole'),
    ListAttachedRolePolicies: onRole('ListAttachedRolePolicies'),
    ListRolePolicies: onRole('ListRolePolicies'),
    DetachRolePolicy: onRole('DetachRolePolicy'),
    DeleteRolePolicy: onRole('DeleteRolePolicy'),
    DeleteRole: onRole('DeleteRole'),
    GetInstanceProfile: onProfile('GetInstanceProfile'),
    DeleteInstanceProfile: onProfile('DeleteInstanceProfile'),
    RemoveRoleFromInstanceProfile: onProfile('RemoveRoleFromInstanceProfile'),
    /**
     * A profile that is created with tags needs TagInstanceProfile as well. Karpenter's policy demands
     * the same tags of the resource, so IAM sees them there.
     *
     * @see docs.aws.amazon.com/IAM/latest/UserGuide/id_tags_instance-profiles.html
     */
    CreateInstanceProfile: operation(
      profileSchema.extend({ Path: z.string().default('/'), Tags: tagsSchema }),
      ({ InstanceProfileName, Path, Tags }, account) => {
        const arn = toArn(account, 'iam', `instance-profile${Path}${InstanceProfileName}`, {
          region: '',
        });
        const created = Object.entries(Tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value] as const);
        const tagging = {
          ...requestTags(Tags),
          ...Object.fromEntries<string>(created),
        };
        return [
          ask(account, 'iam:CreateInstanceProfile', arn, requestTags(Tags)),
          ...(created.length > 0 ? [ask(account, 'iam:TagInstanceProfile', arn, tagging)] : []),
        ];
      },
    ),
    /** @see docs.aws.amazon.com/IAM/latest/APIReference/API_AddRoleToInstanceProfile.html */
    AddRoleToInstanceProfile: operation(
      profileSchema.extend({ RoleName: z.string() }),
      ({ InstanceProfileName, RoleName }, account) => {
        const arn = account.profileArn(InstanceProfileName);
        return [
          ask(account, 'iam:AddRoleToInstanceProfile', arn, resourceTags(account, arn)),
          ask(account, 'iam:PassRole', account.roleArn(RoleName), {
            'iam:PassedToService': ec2Principal(account),
          }),
        ];
      },
    ),
  },
};
