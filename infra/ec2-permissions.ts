import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
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
      resources: [ec2Arn(fleet, 'launch-template')],
      conditions: owned(fleet),
    }),
    new PolicyStatement({
      actions: LAUNCHES,
      resources: created,
      conditions: tagged(fleet),
    }),
    new PolicyStatement({
      actions: ['ec2:CreateTags'],
      resources: created,
      conditions: {
        ...tagged(fleet),
        StringEquals: {
          ...tagged(fleet).StringEquals,
          'ec2:CreateAction': ['CreateFleet', 'RunInstances'],
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

/** May look at EC2 in its region. Describing cannot be limited to resources. */
export const describeEc2 = ({ stack }: Fleet): Right => ({
  wildcardReason: 'EC2 describes its region or nothing: no resource can be named.',
  statements: [
    new PolicyStatement({
      actions: [
        'ec2:DescribeInstances',
        'ec2:DescribeInstanceTypeOfferings',
        'ec2:DescribeSpotPriceHistory',
      ],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': stack.region } },
    }),
  ],
});

/** What the launch reads may belong to another account: shared subnets, groups, reservations. */
const ec2Arn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });

const publicArn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });
