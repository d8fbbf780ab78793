import { DescribeTagsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetInstanceProfileCommand, GetRoleCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccountFacts } from './facts.ts';

const ec2 = mockClient(EC2Client);
const iam = mockClient(IAMClient);
beforeEach(() => {
  ec2.reset();
  iam.reset();
  const missing = new NoSuchEntityException({ message: 'no', $metadata: {} });
  iam.on(GetInstanceProfileCommand).rejects(missing);
  iam.on(GetRoleCommand).rejects(missing);
  ec2.on(DescribeTagsCommand).resolves({ Tags: [] });
});
afterAll(() => {
  ec2.restore();
  iam.restore();
});

const TEMPLATE = 'karpenter.k8s.aws/6b444e63';
const PROFILE = 'arn:aws:iam::000000000000:instance-profile/karpenter/us-east-1/lab/u/lab_1';
const NODES = 'arn:aws:iam::000000000000:role/Nodes';
const ec2Arn = (resource: string): string => `arn:aws:ec2:us-east-1:000000000000:${resource}`;

const facts = () => createAccountFacts({ ec2: new EC2Client(), iam: new IAMClient() }, () => undefined);

const created = {
  service: 'ec2',
  operation: 'CreateLaunchTemplate',
  input: {
    LaunchTemplateName: TEMPLATE,
    LaunchTemplateData: { ImageId: 'ami-1', IamInstanceProfile: { Name: 'lab_1' } },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: 'owner', Value: 'lab' }] }],
  },
};
const answer = {
  ...{ status: 200, headers: {} },
  body: Buffer.from('<launchTemplateId>lt-1</launchTemplateId>'),
};
const launch = {
  ...{ service: 'ec2', operation: 'RunInstances' },
  input: { LaunchTemplate: { LaunchTemplateName: TEMPLATE } },
};

describe('the facts about a request', () => {
  it('are tags and content of the launch template that it names, by name or by id', async () => {
    const all = facts();
    all.watch(created, answer);
    const account = await all.read(launch);

    expect(account.tagsOf(ec2Arn(`launch-template/${TEMPLATE}`))).toEqual({ owner: 'lab' });
    expect(account.tagsOf(ec2Arn('launch-template/lt-1'))).toEqual({ owner: 'lab' });
    expect(account.templateData('lt-1')).toMatchObject({ ImageId: 'ami-1' });
  });

  it('are the roles of the instance profile that the template names', async () => {
    iam.on(GetInstanceProfileCommand, { InstanceProfileName: 'lab_1' }).resolves({
      InstanceProfile: {
        ...{ Path: '/', InstanceProfileName: 'lab_1', InstanceProfileId: 'i', Arn: PROFILE },
        CreateDate: new Date(0),
        Roles: [
          {
            ...{ Path: '/', RoleName: 'Nodes', RoleId: 'r', Arn: NODES },
            CreateDate: new Date(0),
          },
        ],
      },
    });
    const all = facts();
    all.watch(created, answer);

    expect((await all.read(launch)).rolesOf('lab_1')).toEqual([NODES]);
  });

  it('are an error if the launch template is not known, because its tags are not', async () => {
    const account = await facts().read(launch);
    expect(() => account.templateData(TEMPLATE)).toThrow('was not created through the proxy');
  });

  it('are the tags that an instance has now', async () => {
    ec2.on(DescribeTagsCommand).resolves({
      Tags: [{ ResourceId: 'i-1', Key: 'owner', Value: 'lab' }],
    });
    const input = { InstanceIds: ['i-1', 'i-2'] };
    const account = await facts().read({ service: 'ec2', operation: 'TerminateInstances', input });

    expect(account.tagsOf(ec2Arn('instance/i-1'))).toEqual({ owner: 'lab' });
    expect(account.tagsOf(ec2Arn('instance/i-2'))).toEqual({});
  });
});
