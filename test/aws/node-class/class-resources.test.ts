import { DescribeLaunchTemplatesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { awsNodeClassResources } from '../../../shared/aws/node-class/class-resources.ts';
import { NOON, REGION } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';

const client = new EC2Client({ region: REGION, maxAttempts: 1 });
const ec2 = mockClient(client);
const iam = mockClient(IAMClient);
// The class is mocked, which the files of the same process share.
afterAll(() => iam.restore());
beforeEach(() => {
  ec2.reset();
  iam.reset();
  ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [] });
});

const OWNER = { name: 'default', uid: 'u-1' };
const isolated = awsNodeClassResources(
  { ec2: client, ssm: new SSMClient({ region: REGION }), uses: { list: async () => new Set() } },
  { cluster: 'demo', region: REGION },
);

describe('node class resources without access to IAM', () => {
  it('release a class and sweep profiles without calling IAM', async () => {
    await isolated.release(OWNER);
    await isolated.sweepProfiles(new Set(), NOON);

    expect(ec2.commandCalls(DescribeLaunchTemplatesCommand)).toHaveLength(1);
    expect(iam.calls()).toEqual([]);
  });

  it('return the profile that the class names, and none for its role', async () => {
    const named = aWrittenClass({ role: undefined, instanceProfile: 'mine' });

    expect(await isolated.instanceProfile(OWNER, named.spec)).toBe('mine');
    expect(await isolated.instanceProfile(OWNER, aWrittenClass().spec)).toBeUndefined();
  });
});
