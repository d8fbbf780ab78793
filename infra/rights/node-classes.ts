import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { clusterArn } from '../cluster-arn.ts';
import type { Right } from './allow.ts';
import { CLUSTER_TAG, describing, ec2Arn, type Fleet, owned, ownershipTag } from './fleet.ts';

/** Allows the lookups that resolve an EC2NodeClass. */
export function resolveClasses(fleet: Fleet): Right {
  const { stack } = fleet;
  const { statements } = describing(fleet, [
    'ec2:DescribeSubnets',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeImages',
    'ec2:DescribeInstances',
    'ec2:DescribeCapacityReservations',
    'ec2:DescribePlacementGroups',
  ]);
  return {
    wildcardReason:
      'EC2 describes its region or nothing; images are named in public parameters; access entries have generated ids.',
    statements: [
      ...statements,
      new PolicyStatement({
        actions: ['ssm:GetParameter'],
        resources: [
          stack.formatArn({
            service: 'ssm',
            account: '',
            resource: 'parameter',
            resourceName: 'aws/service/*',
          }),
        ],
      }),
      new PolicyStatement({
        actions: ['eks:DescribeCluster', 'eks:DescribeAccessEntry'],
        resources: [clusterArn(fleet), accessEntriesArn(fleet)],
      }),
    ],
  };
}

/**
 * Allows reading parameters of the account, or those that another account shares, in addition to public
 * ones.
 *
 * @param parameters - names, or ARNs
 */
export const readImageParameters = ({ stack }: Fleet, parameters: readonly string[]): Right => ({
  wildcardReason: 'The option imageParameters names them.',
  statements: [
    new PolicyStatement({
      actions: ['ssm:GetParameter'],
      resources: parameters.map((name) =>
        name.startsWith('arn:')
          ? name
          : stack.formatArn({
              ...{ service: 'ssm', resource: 'parameter' },
              resourceName: name.replace(/^\//, ''),
            }),
      ),
    }),
  ],
});

/** Access entries have generated ids. */
const accessEntriesArn = ({ stack, cluster }: Fleet): string =>
  stack.formatArn({ service: 'eks', resource: 'access-entry', resourceName: `${cluster}/*` });

const describeCluster = (fleet: Fleet): PolicyStatement =>
  new PolicyStatement({ actions: ['eks:DescribeCluster'], resources: [clusterArn(fleet)] });

/** Allows asking EKS whether the cluster exists. */
export const findCluster = (fleet: Fleet): Right => ({
  statements: [describeCluster(fleet)],
});

/** Allows listing launch templates. */
export const findTemplates = (fleet: Fleet): Right => describing(fleet, ['ec2:DescribeLaunchTemplates']);

/** Allows deleting launch templates of the cluster. */
export const removeTemplates = (fleet: Fleet): Right => ({
  wildcardReason: 'Templates are named by their content: the tags say which are ours.',
  statements: [
    new PolicyStatement({
      actions: ['ec2:DeleteLaunchTemplate'],
      resources: [ec2Arn(fleet, 'launch-template')],
      conditions: owned(fleet),
    }),
  ],
});

const PROFILE_CLASS_TAG = 'karpenter.k8s.aws/ec2nodeclass';
const REGION_TAG = 'topology.kubernetes.io/region';

const profilesArn = ({ stack }: Fleet, resourceName: string): string =>
  stack.formatArn({ service: 'iam', region: '', resource: 'instance-profile', resourceName });

/** The path below which all profiles of the cluster are created, as Karpenter's are. */
const ownProfiles = (fleet: Fleet): string => profilesArn(fleet, `karpenter/${fleet.stack.region}/${fleet.cluster}/*`);

/** Conditions on profiles that exist, or on the tags of those that are created. */
const profilesOf = ({ stack, cluster }: Fleet, whose: 'Request' | 'Resource') => ({
  StringEquals: {
    [`aws:${whose}Tag/${ownershipTag(cluster)}`]: 'owned',
    [`aws:${whose}Tag/${REGION_TAG}`]: stack.region,
  },
  StringLike: { [`aws:${whose}Tag/${PROFILE_CLASS_TAG}`]: '*' },
});

/** Allows finding and deleting instance profiles of the cluster, and no others. */
export const removeProfiles = (fleet: Fleet): Right => ({
  wildcardReason: 'Profiles are named by a hash: their tags say whose they are.',
  statements: [
    new PolicyStatement({
      actions: ['iam:RemoveRoleFromInstanceProfile', 'iam:DeleteInstanceProfile'],
      resources: [ownProfiles(fleet)],
      conditions: profilesOf(fleet, 'Resource'),
    }),
    // IAM supports no resource-level permission for this list, not even by path.
    new PolicyStatement({ actions: ['iam:ListInstanceProfiles'], resources: ['*'] }),
  ],
});

/** Allows creating instance profiles of the cluster, and changing no others. */
export function createProfiles(fleet: Fleet): Right {
  const profiles = [ownProfiles(fleet)];
  const resourceTags = profilesOf(fleet, 'Resource');
  const ownTags = profilesOf(fleet, 'Request');
  const requestTags = {
    ...ownTags,
    StringEquals: { ...ownTags.StringEquals, [`aws:RequestTag/${CLUSTER_TAG}`]: fleet.cluster },
  };
  return {
    wildcardReason: 'Profiles are named by a hash: their tags say whose they are.',
    statements: [
      new PolicyStatement({
        actions: ['iam:CreateInstanceProfile'],
        resources: profiles,
        conditions: requestTags,
      }),
      // IAM asks for this right when a profile is created with tags. Without the condition on the
      // resource, the function could claim any profile of the account by tagging it.
      new PolicyStatement({
        actions: ['iam:TagInstanceProfile'],
        resources: profiles,
        conditions: {
          StringEquals: { ...requestTags.StringEquals, ...resourceTags.StringEquals },
          StringLike: { ...requestTags.StringLike, ...resourceTags.StringLike },
        },
      }),
      new PolicyStatement({
        actions: ['iam:AddRoleToInstanceProfile'],
        resources: profiles,
        conditions: resourceTags,
      }),
      // A class may name a profile of any path, and IAM knows no path of a profile that does not exist.
      new PolicyStatement({
        actions: ['iam:GetInstanceProfile'],
        resources: [profilesArn(fleet, '*')],
      }),
    ],
  };
}

/**
 * Allows creating access entries for exactly these roles, and only those of nodes: an entry of type
 * STANDARD could give a role any group. EKS requires the right to pass the role as well.
 */
export const createNodeAccess = (fleet: Fleet, roleArns: readonly string[]): Right => ({
  statements: [
    new PolicyStatement({
      actions: ['eks:CreateAccessEntry'],
      resources: [clusterArn(fleet)],
      conditions: {
        ArnEquals: { 'eks:principalArn': [...roleArns] },
        StringEquals: { 'eks:accessEntryType': ['EC2_LINUX', 'EC2_WINDOWS'] },
      },
    }),
  ],
});
