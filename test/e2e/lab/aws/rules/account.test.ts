import { CreateAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks';
import { DeleteRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  GetAccountSettingsCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { readStep } from './aws-request.ts';
import { authenticationModes, knownPrincipals } from './eks.ts';
import { emulate, json, startRules, xml } from './fixture.ts';
import { propagation, rolesInProfiles } from './iam.ts';
import { accountConcurrency, environmentSize, functionUrls, queueConcurrency } from './lambda.ts';
import { takenNames } from './names.ts';

const MISSING = { ...xml('<Error><Code>NoSuchEntity</Code></Error>'), status: 404 };
const roleNamed = (name: string, created = '2026-01-01T00:00:00Z') =>
  xml(
    `<Role><RoleName>${name}</RoleName><Arn>arn:aws:iam::000000000000:role/${name}</Arn><CreateDate>${created}</CreateDate></Role>`,
  );

describe('Lambda in the lab', () => {
  it('refuses more than 4 KB of environment, in requests and in stacks', async () => {
    const { fn, step } = await startRules([environmentSize]);
    const lambda = new LambdaClient(fn);
    const update = (bytes: number) =>
      lambda.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName: 'sweep',
          Environment: { Variables: { A: 'x'.repeat(bytes - 1) } },
        }),
      );

    await expect(update(4_096)).resolves.toBeDefined();
    await expect(update(4_097)).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
    const Environment = { Variables: { A: 'x'.repeat(4_096) } };
    expect(await step('Create', 'AWS::Lambda::Function', { Environment })).toContain('4KB limit');
  });

  it('refuses a reservation that leaves fewer than 100 unreserved', async () => {
    const emulator = emulate({ 'lambda.': json({ Functions: [{ FunctionName: 'other' }] }) });
    const { person, step } = await startRules([accountConcurrency(() => 120, emulator)], emulator);
    const reserve = (ReservedConcurrentExecutions: number) =>
      new LambdaClient(person).send(
        new PutFunctionConcurrencyCommand({ FunctionName: 'sweep', ReservedConcurrentExecutions }),
      );

    await expect(reserve(20)).resolves.toBeDefined();
    await expect(reserve(21)).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
    const properties = { ReservedConcurrentExecutions: 21 };
    expect(await step('Create', 'AWS::Lambda::Function', properties)).toContain('below its minimum');
    expect(await step('Delete', 'AWS::Lambda::Function', properties)).toBeUndefined();
  });

  it('reports the quota of the account', async () => {
    const AccountLimit = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 };
    const emulator = emulate({ 'lambda.GetAccountSettings': json({ AccountLimit }) });
    const { person } = await startRules([accountConcurrency(() => 10, emulator)], emulator);
    const settings = await new LambdaClient(person).send(new GetAccountSettingsCommand({}));

    expect(settings.AccountLimit).toEqual({
      ConcurrentExecutions: 10,
      UnreservedConcurrentExecutions: 10,
    });
  });

  it.each(['us-gov-west-1', 'eu-south-2', 'il-central-1'])('has no function URLs in %s', async (region) => {
    const { person } = await startRules([functionUrls]);
    const create = (settings: object) =>
      new LambdaClient({ ...person, ...settings }).send(
        new CreateFunctionUrlConfigCommand({ FunctionName: 'intake', AuthType: 'NONE' }),
      );

    await expect(create({ region })).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(create({ region: 'eu-west-1' })).resolves.toBeDefined();
  });

  it('works on fewer messages at once than the stack allows', async () => {
    const properties = { ScalingConfig: { MaximumConcurrency: 10 }, Enabled: true };
    const type = 'AWS::Lambda::EventSourceMapping';
    const step = readStep({ action: 'Create', type, properties }, 'us-east-1');
    const { body } = await queueConcurrency(2).answer(step, async (sent) => ({
      ...sent,
      status: 200,
    }));

    expect(JSON.parse(body.toString())).toEqual({
      ScalingConfig: { MaximumConcurrency: 2 },
      Enabled: true,
    });
  });
});

describe('IAM in the lab', () => {
  it('deletes no role that an instance profile has, neither by a request nor with a stack', async () => {
    const emulator = emulate({
      'iam.ListInstanceProfilesForRole': xml('<InstanceProfileName>p</InstanceProfileName>'),
    });
    const { person, step } = await startRules([rolesInProfiles(emulator)], emulator);

    await expect(new IAMClient(person).send(new DeleteRoleCommand({ RoleName: 'nodes' }))).rejects.toMatchObject({
      name: 'DeleteConflictException',
    });
    expect(await step('Delete', 'AWS::IAM::Role', {}, 'nodes')).toContain('must remove roles');
  });

  it('deletes a role without instance profiles', async () => {
    const emulator = emulate({ 'iam.ListInstanceProfilesForRole': xml('<InstanceProfiles/>') });
    const { step } = await startRules([rolesInProfiles(emulator)], emulator);

    expect(await step('Delete', 'AWS::IAM::Role', {}, 'nodes')).toBeUndefined();
  });

  it('lets Lambda know a new role after 10 s, while CloudFormation waits for its own', async () => {
    const created = '2026-01-01T00:00:00Z';
    let now = Date.parse(created) + 9_999;
    const emulator = emulate({ 'iam.GetRole': roleNamed('worker', created) });
    const { person, step } = await startRules([propagation(emulator, () => now)], emulator);
    const create = () =>
      new LambdaClient(person).send(
        new CreateFunctionCommand({
          FunctionName: 'sweep',
          Role: 'arn:aws:iam::000000000000:role/path/worker',
          Code: { ZipFile: Buffer.from('x') },
        }),
      );

    await expect(create()).rejects.toMatchObject({ message: /cannot be assumed by Lambda/ });
    const Role = 'arn:aws:iam::000000000000:role/worker';
    expect(await step('Create', 'AWS::Lambda::Function', { Role })).toBeUndefined();
    now += 1;
    await expect(create()).resolves.toBeDefined();
  });
});

describe('CloudFormation in the lab', () => {
  it.each([
    ['AWS::IAM::Role', { RoleName: 'MortiseNode-lab' }],
    ['AWS::Scheduler::ScheduleGroup', { Name: 'Mortise-lab-Schedules' }],
    ['AWS::Lambda::Function', { FunctionName: 'sweep' }],
  ])('fails a resource of type %s whose fixed name exists', async (type, properties) => {
    const { step } = await startRules([takenNames(emulate())]);

    expect(await step('Create', type, properties)).toContain('already exists');
    expect(await step('Update', type, properties)).toBeUndefined();
    expect(await step('Create', type, {})).toBeUndefined();
  });

  it('creates a resource whose fixed name is free', async () => {
    const { step } = await startRules([takenNames(emulate({ 'iam.GetRole': MISSING }))]);

    expect(await step('Create', 'AWS::IAM::Role', { RoleName: 'nodes' })).toBeUndefined();
  });
});

describe('EKS in the lab', () => {
  const entryFor = (name: string) =>
    new CreateAccessEntryCommand({
      clusterName: 'lab',
      principalArn: `arn:aws:iam::000000000000:role/${name}`,
    });

  it('refuses access entries of roles that do not exist', async () => {
    const { person } = await startRules([knownPrincipals(emulate({ 'iam.GetRole': MISSING }))]);

    await expect(new EKSClient(person).send(entryFor('nodes'))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
  });

  it('compares the path of the role as well', async () => {
    const emulator = emulate({ 'iam.GetRole': roleNamed('nodes') });
    const { person, step } = await startRules([knownPrincipals(emulator)]);

    await expect(new EKSClient(person).send(entryFor('nodes'))).resolves.toBeDefined();
    const PrincipalArn = 'arn:aws:iam::000000000000:role/teams/nodes';
    expect(await step('Create', 'AWS::EKS::AccessEntry', { PrincipalArn })).toContain('invalid');
  });

  it('refuses access entries in a cluster that authenticates by its ConfigMap alone', async () => {
    let mode = 'CONFIG_MAP';
    const { person, step } = await startRules([authenticationModes(() => mode)]);
    const create = () => new EKSClient(person).send(entryFor('nodes'));

    await expect(create()).rejects.toMatchObject({ name: 'InvalidRequestException' });
    expect(await step('Create', 'AWS::EKS::AccessEntry', {})).toContain('authentication mode');
    mode = 'API_AND_CONFIG_MAP';
    await expect(create()).resolves.toBeDefined();
  });
});
