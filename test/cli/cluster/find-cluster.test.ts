import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeClusterCommand, EKSClient, ResourceNotFoundException } from '@aws-sdk/client-eks';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findCluster } from '../../../cli/cluster/find-cluster.ts';
import { findStack } from '../../../cli/cluster/find-stack.ts';
import { outputDescription } from '../../../infra/stack-name.ts';

const formation = mockClient(CloudFormationClient);
const eks = mockClient(EKSClient);
beforeEach(() => {
  formation.reset();
  eks.reset();
});
afterAll(() => {
  formation.restore();
  eks.restore();
});

const FLAGS = { region: 'us-east-1' };
const OUTPUTS = { StateTable: 'table', SnapshotBucket: 'bucket', InterruptionQueue: 'queue' };

const aStack = (StackName: string, cluster: string) => ({
  StackId: `arn:aws:cloudformation:us-east-1:123456789012:stack/${StackName}/0`,
  ...{ StackName, CreationTime: new Date(0), StackStatus: 'CREATE_COMPLETE' as const },
  Outputs: Object.entries(OUTPUTS).map(([name, OutputValue]) => ({
    OutputKey: name,
    OutputValue,
    Description: outputDescription(name, cluster),
  })),
});

const missing = new CloudFormationServiceException({
  name: 'ValidationError',
  message: 'Stack with id Mortise-shop does not exist',
  $fault: 'client',
  $metadata: {},
});

describe('the stack of a cluster', () => {
  const expectedStack = (name: string) => ({
    ...{ name, table: 'table', bucket: 'bucket', interruptionQueue: 'queue', keys: [] },
    id: `arn:aws:cloudformation:us-east-1:123456789012:stack/${name}/0`,
  });

  it('is the one of its name', async () => {
    formation
      .on(DescribeStacksCommand, { StackName: 'Mortise-shop' })
      .resolves({ Stacks: [aStack('Mortise-shop', 'shop')] });
    expect(await findStack('shop', FLAGS)).toEqual(expectedStack('Mortise-shop'));
  });

  it('is found under another name by its outputs, on any page', async () => {
    formation
      .on(DescribeStacksCommand)
      .resolves({ Stacks: [aStack('Other', 'other')], NextToken: 'next' })
      .on(DescribeStacksCommand, { StackName: 'Mortise-shop' })
      .rejects(missing)
      .on(DescribeStacksCommand, { NextToken: 'next' })
      .resolves({ Stacks: [aStack('Platform', 'shop')] });
    expect(await findStack('shop', FLAGS)).toEqual(expectedStack('Platform'));
  });
});

describe('the cluster', () => {
  it('has the address and the authority that EKS knows', async () => {
    eks.on(DescribeClusterCommand, { name: 'shop' }).resolves({
      cluster: {
        endpoint: 'https://eks.example',
        certificateAuthority: { data: Buffer.from('PEM').toString('base64') },
        kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
        arn: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
      },
    });
    expect(await findCluster('shop', FLAGS, {})).toEqual({
      cluster: 'shop',
      region: 'us-east-1',
      endpoint: 'https://eks.example',
      certificateAuthority: 'PEM',
      serviceCidr: '10.100.0.0/16',
      clusterArn: 'arn:aws:eks:us-east-1:111122223333:cluster/shop',
    });
  });

  it('is reported as missing, with the region where it was looked for', async () => {
    eks.on(DescribeClusterCommand).rejects(new ResourceNotFoundException({ message: 'no', $metadata: {} }));
    await expect(findCluster('shop', FLAGS, {})).rejects.toMatchObject({
      problems: [{ code: 'not-found', what: 'no EKS cluster shop', where: 'us-east-1' }],
    });
  });
});
