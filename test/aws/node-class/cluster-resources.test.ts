import {
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { DeleteInstanceProfileCommand, IAMClient, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { awsClusterResources } from '../../../shared/aws/node-class/cluster-resources.ts';
import { REGION } from '../../support/builders.ts';

const settings = { region: REGION, maxAttempts: 1 };
const clients = { ec2: new EC2Client(settings), iam: new IAMClient(settings) };
const ec2 = mockClient(clients.ec2);
const iam = mockClient(clients.iam);
const PATH = `/karpenter/${REGION}/demo/`;
const profile = (name: string, Path: string) => ({
  InstanceProfileName: name,
  InstanceProfileId: name,
  Path,
  Arn: `arn of ${name}`,
  // Created a moment ago.
  CreateDate: new Date(),
  Roles: [],
});

beforeEach(() => {
  ec2.reset();
  iam.reset();
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [] });
  iam.on(DeleteInstanceProfileCommand).resolves({});
});
const resources = awsClusterResources(clients, { cluster: 'demo', region: REGION });

describe('the instance profiles of a deleted cluster', () => {
  it('are deleted however new they are, and those of other paths stay', async () => {
    iam.on(ListInstanceProfilesCommand).resolves({
      InstanceProfiles: [profile('ours', `${PATH}u-1/`), profile('theirs', '/')],
    });

    await resources.removeProfiles();

    const deleted = iam.commandCalls(DeleteInstanceProfileCommand).map(({ args }) => args[0].input);
    expect(deleted).toEqual([{ InstanceProfileName: 'ours' }]);
  });

  it('stay while an instance uses them', async () => {
    iam.on(ListInstanceProfilesCommand).resolves({ InstanceProfiles: [profile('ours', `${PATH}u-1/`)] });
    ec2.on(DescribeInstancesCommand).resolves({ Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] });

    await resources.removeProfiles();

    expect(iam.commandCalls(DeleteInstanceProfileCommand)).toEqual([]);
  });

  it('are named with a command to find them if IAM cannot be reached', async () => {
    iam.on(ListInstanceProfilesCommand).rejects(new Error('connect ETIMEDOUT'));

    await expect(resources.removeProfiles()).rejects.toThrow(
      `instance profiles below the IAM path ${PATH} may remain: Error: connect ETIMEDOUT. ` +
        `To find them: aws iam list-instance-profiles --path-prefix ${PATH}`,
    );
  });
});

describe('the launch templates of a deleted cluster', () => {
  it('are deleted if they have our prefix', async () => {
    ec2.on(DescribeLaunchTemplatesCommand).resolves({
      LaunchTemplates: [
        {
          LaunchTemplateId: 'lt-1',
          LaunchTemplateName: 'karpenter.k8s.aws/1',
          CreateTime: new Date(),
        },
        { LaunchTemplateId: 'lt-2', LaunchTemplateName: 'theirs', CreateTime: new Date() },
      ],
    });

    await resources.removeTemplates();

    const deleted = ec2.commandCalls(DeleteLaunchTemplateCommand).map(({ args }) => args[0].input);
    expect(deleted).toEqual([{ LaunchTemplateId: 'lt-1' }]);
  });
});
