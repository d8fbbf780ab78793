import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  EC2Client,
  RunInstancesCommand,
  type TagSpecification,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { dryRunLaunch } from '../../../shared/aws/node-class/dry-run-launch.ts';
import { createLaunchTemplates } from '../../../shared/aws/node-class/launch-templates.ts';
import { ProfilePropagationError } from '../../../shared/model/errors.ts';
import { NOON, REGION } from '../../support/builders.ts';
import { anImage, aResolvedClass, aWrittenClass } from '../../support/node-classes.ts';
import { ec2Error } from '../support/fake-ec2.ts';
import { simTemplateUses } from '../support/template-uses.ts';

const client = new EC2Client({ region: REGION, maxAttempts: 1 });
const ec2 = mockClient(client);
const clock = { now: () => NOON };

const YES = ec2Error('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');
const NO = ec2Error('UnauthorizedOperation', 'You are not authorized to perform this operation.');

beforeEach(() => {
  ec2.reset();
  ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [] });
  ec2.on(CreateLaunchTemplateCommand).resolves({});
  ec2.on(CreateFleetCommand).rejects(YES);
  ec2.on(RunInstancesCommand).rejects(YES);
});

const judge = (over: Parameters<typeof aResolvedClass>[0] = {}, tenancy: 'default' | 'dedicated' = 'default') =>
  dryRunLaunch(
    {
      ec2: client,
      templates: createLaunchTemplates({ ec2: client, clock, uses: simTemplateUses() }, { region: REGION }),
    },
    aResolvedClass(over),
    { tenancy },
  );

type Tagged = { readonly TagSpecifications?: readonly TagSpecification[] | undefined };

const tagsByKind = ({ TagSpecifications = [] }: Tagged = {}) =>
  Object.fromEntries(
    TagSpecifications.map(({ ResourceType = '', Tags = [] }) => [
      ResourceType,
      Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
    ]),
  );

describe('a dry-run launch', () => {
  it('creates a template, and neither a fleet nor an instance', async () => {
    expect(await judge()).toEqual({ outcome: 'allowed' });

    const [fleet] = ec2.commandCalls(CreateFleetCommand);
    const [instance] = ec2.commandCalls(RunInstancesCommand);
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(1);
    expect(fleet?.args[0].input).toMatchObject({ DryRun: true, Type: 'instant' });
    expect(fleet?.args[0].input).not.toHaveProperty('ClientToken');
    expect(instance?.args[0].input).toMatchObject({
      DryRun: true,
      InstanceType: 'm5.large',
      NetworkInterfaces: [{ SubnetId: 'subnet-a', Groups: ['sg-1'] }],
    });
  });

  it('tags all that it would create as a launch does, so that the rights of a launch allow it', async () => {
    await judge();

    const tags = {
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.sh/nodepool': 'dry-run',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    };
    const [fleet] = ec2.commandCalls(CreateFleetCommand);
    const [instance] = ec2.commandCalls(RunInstancesCommand);
    const [template] = ec2.commandCalls(CreateLaunchTemplateCommand);
    const { TagSpecifications, LaunchTemplateData } = template?.args[0].input ?? {};

    const launch = { ...tags, 'mortise.sh/launch': 'class-default-dry-run' };
    expect(tagsByKind(fleet?.args[0].input)).toMatchObject({
      instance: launch,
      volume: launch,
      fleet: launch,
    });
    expect(tagsByKind(instance?.args[0].input)).toMatchObject({
      instance: launch,
      volume: launch,
      'network-interface': launch,
    });
    expect(tagsByKind({ TagSpecifications })).toMatchObject({ 'launch-template': tags });
    expect(tagsByKind(LaunchTemplateData)).toMatchObject({ 'network-interface': tags });
  });

  it.each([
    ['a launch template', () => ec2.on(CreateLaunchTemplateCommand), 'CreateLaunchTemplateAuthCheckFailed'],
    ['a fleet', () => ec2.on(CreateFleetCommand), 'CreateFleetAuthCheckFailed'],
    ['an instance', () => ec2.on(RunInstancesCommand), 'RunInstancesAuthCheckFailed'],
  ])('reports the reason of a denied request: %s', async (_, requested, reason) => {
    requested().rejects(NO);

    expect(await judge()).toEqual({
      outcome: 'refused',
      reason,
      message: 'no policy allows it: You are not authorized to perform this operation.',
    });
  });

  it.each([
    ['with an explicit deny in a permissions boundary', 'a permissions boundary denies it'],
    ['with an explicit deny in a service control policy', 'a service control policy denies it'],
  ])('names the policy type that denies it: %s', async (text, says) => {
    ec2.on(CreateFleetCommand).rejects(ec2Error('UnauthorizedOperation', text));

    expect(await judge()).toMatchObject({ message: `${says}: ${text}` });
  });

  it('is allowed if any of the subnets allows it', async () => {
    ec2
      .on(RunInstancesCommand)
      .rejectsOnce(ec2Error('InternalError', 'An internal error', 500))
      .rejects(YES);

    expect(await judge()).toEqual({ outcome: 'allowed' });
    expect(ec2.commandCalls(RunInstancesCommand)).toHaveLength(2);
  });

  it('reports a missing instance profile of the user', async () => {
    ec2.on(RunInstancesCommand).rejects(ec2Error('InvalidParameterValue', 'Invalid IAM Instance Profile name'));
    const written = aWrittenClass({ role: undefined, instanceProfile: 'mine' });

    expect(await judge({ written })).toEqual({
      outcome: 'refused',
      reason: 'InstanceProfileNotFound',
      message: 'EC2 knows no instance profile mine',
    });
    // IAM has not propagated the new profile yet.
    await expect(judge()).rejects.toThrow(ProfilePropagationError);
  });

  it('uses an ordinary type, unless the class has images for accelerators only', async () => {
    const gpu = { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'Exists' } as const;
    const images = [anImage({ requirements: [gpu] })];
    await judge({ images });

    const [call] = ec2.commandCalls(RunInstancesCommand);
    expect(call?.args[0].input.InstanceType).toMatch(/^(g|p)\d/);
  });

  it.each(['default', 'dedicated'] as const)('uses %s hardware', async (tenancy) => {
    await judge({}, tenancy);

    const [call] = ec2.commandCalls(CreateLaunchTemplateCommand);
    expect(call?.args[0].input.LaunchTemplateData?.Placement).toEqual({ Tenancy: tenancy });
  });

  it("reports user data that exceeds EC2's limit", async () => {
    const text = 'User data is limited to 16384 bytes';
    ec2.on(CreateLaunchTemplateCommand).rejects(ec2Error('InvalidUserData.Malformed', text));
    expect(await judge()).toMatchObject({ reason: 'UserDataSizeLimitExceeded', message: text });

    ec2.on(CreateLaunchTemplateCommand).rejects(ec2Error('InvalidUserData.Malformed', 'base64'));
    await expect(judge()).rejects.toThrow('base64');
  });

  it('throws while EC2 throttles requests', async () => {
    ec2.on(CreateFleetCommand).rejects(ec2Error('RequestLimitExceeded', 'Slow down.', 503));

    await expect(judge()).rejects.toThrow('Slow down.');
  });
});
