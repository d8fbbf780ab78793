import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { clusterArn } from './cluster-arn.ts';
import type { Right } from './rights.ts';

/** Whose instances: every statement below holds for one cluster in one region. */
export interface Fleet {
  readonly stack: Stack;
  readonly cluster: string;
}

const NODEPOOL_TAG = 'karpenter.sh/nodepool';
const CLUSTER_TAG = 'eks:eks-cluster-name';

const ownershipTag = (cluster: string): string => `kubernetes.io/cluster/${cluster}`;

/** What carries these is ours. Managed node groups carry the first as well; only ours have a NodePool. */
const owned = ({ cluster }: Fleet) => ({
  StringEquals: { [`aws:ResourceTag/${ownershipTag(cluster)}`]: 'owned' },
  StringLike: { [`aws:ResourceTag/${NODEPOOL_TAG}`]: '*' },
});

/** What is created must carry these from its first moment on. */
const tagged = ({ cluster }: Fleet) => ({
  StringEquals: {
    [`aws:RequestTag/${ownershipTag(cluster)}`]: 'owned',
    [`aws:RequestTag/${CLUSTER_TAG}`]: cluster,
  },
  StringLike: { [`aws:RequestTag/${NODEPOOL_TAG}`]: '*' },
});

const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];
const GIVEN = ['security-group', 'subnet', 'capacity-reservation', 'placement-group'] as const;
const CREATED = [
  'fleet',
  'instance',
  'volume',
  'network-interface',
  'spot-instances-request',
] as const;

/** May launch instances of its cluster, and nothing without the cluster's tags. */
export function launchInstances(fleet: Fleet): Right {
  const created = CREATED.map((kind) => ec2Arn(fleet, kind));
  const template = ec2Arn(fleet, 'launch-template');
  const statements = [
    new PolicyStatement({
      actions: LAUNCHES,
      resources: [
        publicArn(fleet, 'image'),
        publicArn(fleet, 'snapshot'),
        ...GIVEN.map((kind) => ec2Arn(fleet, kind)),
      ],
    }),
    new PolicyStatement({
      actions: LAUNCHES,
      resources: [template],
      conditions: owned(fleet),
    }),
    new PolicyStatement({
      actions: LAUNCHES,
      resources: created,
      conditions: tagged(fleet),
    }),
    new PolicyStatement({
      actions: ['ec2:CreateLaunchTemplate'],
      resources: [template],
      conditions: tagged(fleet),
    }),
    new PolicyStatement({
      actions: ['ec2:CreateTags'],
      resources: [...created, template],
      conditions: {
        ...tagged(fleet),
        StringEquals: {
          ...tagged(fleet).StringEquals,
          'ec2:CreateAction': ['CreateFleet', 'RunInstances', 'CreateLaunchTemplate'],
        },
      },
    }),
  ];
  const wildcardReason =
    'A launch creates what has no name yet: tags in the conditions say whose it must be.';
  return { statements, wildcardReason };
}

/** May give nodes these roles and no others, whatever an EC2NodeClass says. */
export const passNodeRoles = (roleArns: readonly string[]): Right => ({
  wildcardReason: 'No wildcards: role by role.',
  statements: [
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [...roleArns],
      conditions: {
        StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] },
      },
    }),
  ],
});

/** May write on instances of its cluster which claim and Node they became, and nothing else. */
export const nameInstances = (fleet: Fleet): Right => ({
  wildcardReason: 'Instances have no names yet: the tags in the conditions say which are ours.',
  statements: [
    new PolicyStatement({
      actions: ['ec2:CreateTags'],
      resources: [ec2Arn(fleet, 'instance')],
      conditions: {
        ...owned(fleet),
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim'] },
      },
    }),
  ],
});

/** May end instances of its cluster that belong to a NodePool. */
export const endInstances = (fleet: Fleet): Right => ({
  wildcardReason: 'Instances have no names: the tags in the conditions say which are ours.',
  statements: [
    new PolicyStatement({
      actions: ['ec2:TerminateInstances'],
      resources: [ec2Arn(fleet, 'instance')],
      conditions: owned(fleet),
    }),
  ],
});

/** May look at EC2 in its region. */
export const describeEc2 = (fleet: Fleet): Right =>
  describing(fleet, [
    'ec2:DescribeInstances',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeSpotPriceHistory',
  ]);

/** May learn what EC2's checks find in instances. */
export const checkInstances = (fleet: Fleet): Right =>
  describing(fleet, ['ec2:DescribeInstanceStatus']);

/** Describing cannot be limited to resources. */
const describing = ({ stack }: Fleet, actions: string[]): Right => ({
  wildcardReason: 'EC2 describes its region or nothing: no resource can be named.',
  statements: [
    new PolicyStatement({
      actions,
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': stack.region } },
    }),
  ],
});

/** May ask what EC2 sells where, and for how much. */
export function readMarket(fleet: Fleet): Right {
  const { statements } = describing(fleet, [
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeSpotPriceHistory',
  ]);
  return {
    wildcardReason: 'What is sold has no names, here as in the price list.',
    statements: [
      ...statements,
      new PolicyStatement({ actions: ['pricing:GetProducts'], resources: ['*'] }),
    ],
  };
}

/** May look which launch templates there are. */
export const findTemplates = (fleet: Fleet): Right =>
  describing(fleet, ['ec2:DescribeLaunchTemplates']);

/** May take launch templates of its cluster away. */
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

/** May find out what EC2NodeClasses stand for. */
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
    wildcardReason: 'EC2 describes its region or nothing; images are named in public parameters.',
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
        actions: ['eks:DescribeCluster'],
        resources: [clusterArn(fleet)],
      }),
    ],
  };
}

const PROFILE_CLASS_TAG = 'karpenter.k8s.aws/ec2nodeclass';
const REGION_TAG = 'topology.kubernetes.io/region';

/** May make profiles for its cluster and take those away again, but no others. */
export function manageProfiles({ stack, cluster }: Fleet): Right {
  const profiles = [
    stack.formatArn({
      service: 'iam',
      region: '',
      resource: 'instance-profile',
      resourceName: '*',
    }),
  ];
  const ours = (whose: 'Request' | 'Resource') => ({
    StringEquals: {
      [`aws:${whose}Tag/${ownershipTag(cluster)}`]: 'owned',
      [`aws:${whose}Tag/${REGION_TAG}`]: stack.region,
    },
    StringLike: { [`aws:${whose}Tag/${PROFILE_CLASS_TAG}`]: '*' },
  });
  const wanted = ours('Request');
  return {
    wildcardReason: 'Profiles are named by a hash: their tags say whose they are.',
    statements: [
      new PolicyStatement({
        actions: ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
        resources: profiles,
        conditions: {
          ...wanted,
          StringEquals: { ...wanted.StringEquals, [`aws:RequestTag/${CLUSTER_TAG}`]: cluster },
        },
      }),
      new PolicyStatement({
        actions: [
          'iam:AddRoleToInstanceProfile',
          'iam:RemoveRoleFromInstanceProfile',
          'iam:DeleteInstanceProfile',
        ],
        resources: profiles,
        conditions: ours('Resource'),
      }),
      new PolicyStatement({ actions: ['iam:GetInstanceProfile'], resources: profiles }),
      // IAM lists all or nothing, even below a path.
      new PolicyStatement({ actions: ['iam:ListInstanceProfiles'], resources: ['*'] }),
    ],
  };
}

/** What the launch reads may belong to another account: shared subnets, groups, reservations. */
const ec2Arn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });

const publicArn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });
