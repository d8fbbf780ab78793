import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';

/** The instances of one cluster in one region, which every statement below is limited to. */
export interface Fleet {
  readonly stack: Stack;
  readonly cluster: string;
}

const NODEPOOL_TAG = 'karpenter.sh/nodepool';
export const CLUSTER_TAG = 'eks:eks-cluster-name';

export const ownershipTag = (cluster: string): string => `kubernetes.io/cluster/${cluster}`;

/**
 * Conditions on existing resources. Managed node groups carry the cluster tag as well; only ours
 * have a NodePool.
 */
export const owned = ({ cluster }: Fleet) => ({
  StringEquals: { [`aws:ResourceTag/${ownershipTag(cluster)}`]: 'owned' },
  StringLike: { [`aws:ResourceTag/${NODEPOOL_TAG}`]: '*' },
});

/** Conditions on new resources: they must carry our tags from creation. */
export const tagged = ({ cluster }: Fleet) => ({
  StringEquals: {
    [`aws:RequestTag/${ownershipTag(cluster)}`]: 'owned',
    [`aws:RequestTag/${CLUSTER_TAG}`]: cluster,
  },
  StringLike: { [`aws:RequestTag/${NODEPOOL_TAG}`]: '*' },
});

/** Resources of this account: all that a launch creates. */
export const ec2Arn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', resource, resourceName: '*' });

/** Subnets, security groups, reservations and placement groups may be shared by another account. */
export const sharedArn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });

export const publicArn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });

/** EC2's Describe calls do not support resource-level permissions. */
export const describing = ({ stack }: Fleet, actions: string[]): Right => ({
  wildcardReason: 'EC2 describes its region or nothing: no resource can be named.',
  statements: [
    new PolicyStatement({
      actions,
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': stack.region } },
    }),
  ],
});
