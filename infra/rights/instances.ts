import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';
import { CLUSTER_TAG, describing, ec2Arn, type Fleet, owned } from './fleet.ts';

/**
 * Allows writing the Name, NodeClaim and cluster tags on the cluster's instances, and no other tag.
 */
export const nameInstances = (fleet: Fleet): Right => ({
  wildcardReason: 'Instances have no names yet: the tags in the conditions say which are ours.',
  statements: [
    new PolicyStatement({
      actions: ['ec2:CreateTags'],
      resources: [ec2Arn(fleet, 'instance')],
      conditions: {
        ...owned(fleet),
        'ForAllValues:StringEquals': { 'aws:TagKeys': [CLUSTER_TAG, 'Name', 'karpenter.sh/nodeclaim'] },
        StringEqualsIfExists: { [`aws:RequestTag/${CLUSTER_TAG}`]: fleet.cluster },
      },
    }),
  ],
});

/** Allows ending instances of the cluster that belong to a NodePool. */
export const endInstances = (fleet: Fleet): Right => changing(fleet, 'ec2:TerminateInstances');

/** Allows rebooting them. */
export const rebootInstances = (fleet: Fleet): Right => changing(fleet, 'ec2:RebootInstances');

const changing = (fleet: Fleet, action: string): Right => ({
  wildcardReason: 'Instances have no names: the tags in the conditions say which are ours.',
  statements: [
    new PolicyStatement({
      actions: [action],
      resources: [ec2Arn(fleet, 'instance')],
      conditions: owned(fleet),
    }),
  ],
});

/** Allows describing EC2 resources in the region. */
export const describeEc2 = (fleet: Fleet): Right =>
  describing(fleet, ['ec2:DescribeInstances', 'ec2:DescribeInstanceTypeOfferings', 'ec2:DescribeSpotPriceHistory']);

/** Allows reading EC2's status checks. */
export const checkInstances = (fleet: Fleet): Right => describing(fleet, ['ec2:DescribeInstanceStatus']);

/** Allows reading offerings and prices. */
export function readOfferingsAndPrices(fleet: Fleet): Right {
  const { statements } = describing(fleet, [
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeSpotPriceHistory',
  ]);
  return {
    wildcardReason: 'Offerings and prices are no resources of the account.',
    statements: [...statements, ...readPriceList().statements],
  };
}

/** Allows reading the price list of AWS, which is in another region. */
export const readPriceList = (): Right => ({
  wildcardReason: 'Prices are no resources of the account.',
  statements: [new PolicyStatement({ actions: ['pricing:GetProducts'], resources: ['*'] })],
});

/** Allows reading the reserved instances of the account, which carry no tags. */
export const readReservedInstances = (fleet: Fleet): Right => describing(fleet, ['ec2:DescribeReservedInstances']);
