import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';

/** Whose instances: every statement below holds for one cluster in one region. */
export interface Fleet {
  readonly stack: Stack;
  readonly cluster: string;
}

const NODEPOOL_TAG = 'karpenter.sh/nodepool';
export const CLUSTER_TAG = 'eks:eks-cluster-name';

export const ownershipTag = (cluster: string): string => `kubernetes.io/cluster/${cluster}`;

/** What carries these is ours. Managed node groups carry the first as well; only ours have a NodePool. */
export const owned = ({ cluster }: Fleet) => ({
  StringEquals: { [`aws:ResourceTag/${ownershipTag(cluster)}`]: 'owned' },
  StringLike: { [`aws:ResourceTag/${NODEPOOL_TAG}`]: '*' },
});

/** What is created must carry these from its first moment on. */
export const tagged = ({ cluster }: Fleet) => ({
  StringEquals: {
    [`aws:RequestTag/${ownershipTag(cluster)}`]: 'owned',
    [`aws:RequestTag/${CLUSTER_TAG}`]: cluster,
  },
  StringLike: { [`aws:RequestTag/${NODEPOOL_TAG}`]: '*' },
});

/** What the launch reads may belong to another account: shared subnets, groups, reservations. */
export const ec2Arn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });

export const publicArn = ({ stack }: Fleet, resource: string): string =>
  stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });

/** Describing cannot be limited to resources. */
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
