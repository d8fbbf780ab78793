import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  EC2Client,
  paginateDescribeInstances,
  RebootInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { partialFleets, slowFleets } from './ec2-fleets.ts';
import { rebootStates } from './ec2-reboots.ts';
import { dryRuns, requestLimits, templateCodes } from './ec2-requests.ts';
import { emptyPages, hiddenInstances } from './ec2-visibility.ts';
import { type Emulated, emulate, startRules, xml } from './fixture.ts';
import { knownProfiles, propagation } from './iam.ts';
import type { Pass, Rule } from './rule.ts';

const ID = 'i-0123456789abcdef0';
const FLEET = `<CreateFleetResponse><fleetInstanceSet><item><instanceIds><item>${ID}</item></instanceIds></item></fleetInstanceSet></CreateFleetResponse>`;
const INSTANCES = `<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>${ID}</instanceId></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;
const EMULATED: Emulated = {
  'ec2.CreateFleet': xml(FLEET),
  'ec2.DescribeInstances': xml(INSTANCES),
  'ec2.DescribeVolumes': xml('<DescribeVolumesResponse/>'),
  'ec2.RunInstances': xml('<RunInstancesResponse/>'),
  'ec2.CreateLaunchTemplate': xml('<CreateLaunchTemplateResponse/>'),
  'ec2.TerminateInstances': xml('<TerminateInstancesResponse/>'),
};

const fleetOf = (TotalTargetCapacity: number) =>
  new CreateFleetCommand({
    Type: 'instant',
    ClientToken: `token-${TotalTargetCapacity}`,
    TargetCapacitySpecification: { TotalTargetCapacity, DefaultTargetCapacityType: 'spot' },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '$Latest' },
        Overrides: [
          { InstanceType: 'm5.large', SubnetId: 'subnet-1', AvailabilityZone: 'us-east-1a' },
          { InstanceType: 'm5.large', SubnetId: 'subnet-2', AvailabilityZone: 'us-east-1b' },
        ],
      },
    ],
  });

async function startEc2(rules: readonly Rule[], emulator: Pass = emulate(EMULATED)) {
  const { fn } = await startRules(rules, emulator);
  return new EC2Client(fn);
}

async function listInstances(ec2: EC2Client, InstanceIds?: string[]): Promise<readonly string[]> {
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId = '' }) => InstanceId));
}

describe('DescribeInstances in the lab', () => {
  it('shows a new instance within a minute of its launch, not at once', async () => {
    let now = 0;
    const ec2 = await startEc2([hiddenInstances(1, () => now)]);
    await ec2.send(fleetOf(1));

    expect(await listInstances(ec2)).toEqual([]);
    await expect(listInstances(ec2, [ID])).rejects.toMatchObject({
      name: 'InvalidInstanceID.NotFound',
    });
    now = 60_000;
    expect(await listInstances(ec2)).toEqual([ID]);
    expect(await listInstances(ec2, [ID])).toEqual([ID]);
  });

  it('answers some first pages without instances but with a token', async () => {
    const ec2 = await startEc2([emptyPages(1)]);
    const firstPages: number[] = [];
    for (let read = 0; read < 10; read += 1) {
      const pages: number[] = [];
      const pagination = paginateDescribeInstances({ client: ec2 }, { MaxResults: 5 });
      for await (const { Reservations = [] } of pagination) pages.push(Reservations.length);
      expect(pages.at(-1)).toBe(1);
      firstPages.push(pages[0] ?? -1);
    }

    expect(new Set(firstPages)).toEqual(new Set([0, 1]));
  });

  it('answers requests without a page size with all instances', async () => {
    const ec2 = await startEc2([emptyPages(1)]);
    const reads = await Promise.all(Array.from({ length: 10 }, () => listInstances(ec2)));

    expect(reads.every((ids) => ids.length === 1)).toBe(true);
  });
});

describe('CreateFleet in the lab', () => {
  it('takes 1 to 10 s', async () => {
    const waits: number[] = [];
    const ec2 = await startEc2([slowFleets(1, async (ms) => waits.push(ms))]);
    for (let count = 1; count <= 20; count += 1) await ec2.send(fleetOf(count));

    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000);
    expect(new Set(waits).size).toBe(20);
  });

  it('launches only a part of some fleets, with several errors', async () => {
    const targets: number[] = [];
    const emulator: Pass = async (request) => {
      targets.push(Number(request.parameters['TargetCapacitySpecification.TotalTargetCapacity']));
      return emulate(EMULATED)(request);
    };
    const ec2 = await startEc2([partialFleets(1)], emulator);
    const answers = [];
    for (let count = 1; count <= 20; count += 1) answers.push(await ec2.send(fleetOf(count)));

    const partial = answers.flatMap(({ Errors = [] }, index) =>
      Errors.length > 0 ? [{ codes: Errors.map(({ ErrorCode }) => ErrorCode), index }] : [],
    );
    expect(partial.length).toBeGreaterThan(3);
    expect(partial.length).toBeLessThan(17);
    for (const { codes, index } of partial) {
      expect(codes).toEqual(['InsufficientInstanceCapacity', 'UnfulfillableCapacity']);
      expect(targets[index]).toBeGreaterThan(0);
      expect(targets[index]).toBeLessThan(index + 1);
    }
  });
});

describe('an instance profile in the lab', () => {
  const launch = { ImageId: 'ami-1', MinCount: 1, MaxCount: 1 };
  const named = (Name: string) => new RunInstancesCommand({ ...launch, IamInstanceProfile: { Name } });
  const fromTemplate = new RunInstancesCommand({
    ...launch,
    LaunchTemplate: { LaunchTemplateName: 'nodes' },
  });
  const template = new CreateLaunchTemplateCommand({
    LaunchTemplateName: 'nodes',
    LaunchTemplateData: { IamInstanceProfile: { Name: 'nodes' } },
  });
  const CREATED = '2026-01-01T00:00:00Z';
  const profile = xml(
    `<InstanceProfile><CreateDate>${CREATED}</CreateDate><Roles><RoleName>r</RoleName></Roles></InstanceProfile>`,
  );
  const INVALID = { name: 'InvalidParameterValue', message: /Invalid IAM Instance Profile name/ };

  it.each([
    ['does not exist', { status: 404 }],
    ['has no role', xml('<InstanceProfile><Roles/></InstanceProfile>')],
  ])('that %s launches nothing', async (_, answer) => {
    const iam = emulate({ 'iam.GetInstanceProfile': answer });
    const ec2 = await startEc2([knownProfiles(iam)]);
    await ec2.send(template);

    await expect(ec2.send(named('nodes'))).rejects.toMatchObject(INVALID);
    await expect(ec2.send(fromTemplate)).rejects.toMatchObject(INVALID);
    await expect(ec2.send(fleetOf(1))).rejects.toMatchObject(INVALID);
  });

  it('is known to EC2 10 s after its creation', async () => {
    let now = Date.parse(CREATED) + 9_999;
    const iam = emulate({ 'iam.GetInstanceProfile': profile });
    const ec2 = await startEc2([knownProfiles(iam), propagation(iam, () => now)]);
    await ec2.send(template);

    await expect(ec2.send(fromTemplate)).rejects.toMatchObject(INVALID);
    now += 1;
    await expect(ec2.send(fromTemplate)).resolves.toBeDefined();
  });
});

describe('request limits of EC2 in the lab', () => {
  const countUntilThrottled = async (send: () => Promise<unknown>): Promise<number> => {
    for (let count = 0; count < 2_000; count += 1) {
      const failure = await send().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) {
        expect(failure).toMatchObject({ name: 'RequestLimitExceeded' });
        return count;
      }
    }
    throw new Error('nothing was throttled');
  };

  it.each([
    ['filtered reads', 100, new DescribeVolumesCommand({ MaxResults: 5 })],
    ['unfiltered reads', 50, new DescribeVolumesCommand({})],
    ['launches', 50, fleetOf(1)],
    ['terminations of 300 instances', 3, terminationOf(300)],
  ])('allow a burst of %s', async (_, burst, command) => {
    const ec2 = await startEc2([requestLimits(() => 0)]);
    // Each command of the SDK may be sent again.
    const send = () => ec2.send(command as DescribeVolumesCommand);

    expect(await countUntilThrottled(send)).toBe(burst);
  });

  it('refill by the second, for each action', async () => {
    let now = 0;
    const ec2 = await startEc2([requestLimits(() => now)]);
    await countUntilThrottled(() => ec2.send(fleetOf(1)));
    await expect(ec2.send(terminationOf(1))).resolves.toBeDefined();
    now = 1_000;

    expect(await countUntilThrottled(() => ec2.send(fleetOf(1)))).toBe(5);
  });
});

function terminationOf(count: number): TerminateInstancesCommand {
  const InstanceIds = Array.from({ length: count }, (_, index) => `i-${index}`);
  return new TerminateInstancesCommand({ InstanceIds });
}

describe('RebootInstances in the lab', () => {
  const STATES: Readonly<Record<string, string>> = {
    'i-00000001': 'running',
    'i-00000002': 'terminated',
    'i-00000003': 'stopped',
  };

  /** Answers as the emulator does, which reboots instances of every state. */
  async function startReboots() {
    const rebooted: string[][] = [];
    const idsOf = (parameters: Readonly<Record<string, unknown>>): string[] =>
      Object.entries(parameters).flatMap(([name, id]) => (name.startsWith('InstanceId.') ? [String(id)] : []));
    const emulator: Pass = async (request) => {
      const ids = idsOf(request.parameters);
      const unknown = ids.find((id) => STATES[id] === undefined);
      if (unknown !== undefined) {
        const code = '<Code>InvalidInstanceID.NotFound</Code>';
        const refusal = xml(`<Response><Errors><Error>${code}</Error></Errors></Response>`);
        return { ...(await emulate()(request)), ...refusal, status: 400 };
      }
      if (request.action === 'RebootInstances') rebooted.push(ids);
      const items = ids.map((id) => {
        const state = `<instanceState><code>0</code><name>${STATES[id]}</name></instanceState>`;
        return `<item><instanceId>${id}</instanceId>${state}</item>`;
      });
      const instances = `<instancesSet>${items.join('')}</instancesSet>`;
      return emulate({
        'ec2.DescribeInstances': xml(
          `<DescribeInstancesResponse><reservationSet><item>${instances}</item></reservationSet></DescribeInstancesResponse>`,
        ),
        'ec2.RebootInstances': xml('<RebootInstancesResponse><return>true</return></RebootInstancesResponse>'),
      })(request);
    };
    const ec2 = await startEc2([rebootStates], emulator);
    const reboot = (...InstanceIds: string[]) => ec2.send(new RebootInstancesCommand({ InstanceIds }));
    return { rebooted, reboot };
  }

  it('ignores terminated instances and reboots the running ones of the request', async () => {
    const { rebooted, reboot } = await startReboots();

    await reboot('i-00000002');
    await reboot('i-00000002', 'i-00000001');

    expect(rebooted).toEqual([['i-00000001']]);
  });

  it.each([
    ['i-00000003', 'IncorrectInstanceState'],
    ['i-0000000f', 'InvalidInstanceID.NotFound'],
  ])('refuses %s with %s', async (id, name) => {
    const { rebooted, reboot } = await startReboots();

    await expect(reboot('i-00000001', id)).rejects.toMatchObject({ name });
    expect(rebooted).toEqual([]);
  });
});

describe('an unknown launch template in the lab', () => {
  it('has another error code by its id than by its name', async () => {
    const code = '<Code>InvalidLaunchTemplateName.NotFoundException</Code>';
    const missing = xml(`<Response><Errors><Error>${code}</Error></Errors></Response>`);
    const emulator = emulate({ 'ec2.DeleteLaunchTemplate': { ...missing, status: 400 } });
    const ec2 = await startEc2([templateCodes], emulator);
    const remove = (named: object) => ec2.send(new DeleteLaunchTemplateCommand(named));

    await expect(remove({ LaunchTemplateId: 'lt-1' })).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateId.NotFound',
    });
    await expect(remove({ LaunchTemplateName: 'nodes' })).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateName.NotFoundException',
    });
  });
});

describe('a dry run in the lab', () => {
  const dryRun = new RunInstancesCommand({ MinCount: 1, MaxCount: 1, DryRun: true });

  it('never succeeds: the answer to an allowed one is an error too', async () => {
    const ec2 = await startEc2([dryRuns]);

    await expect(ec2.send(dryRun)).rejects.toMatchObject({ name: 'DryRunOperation' });
  });

  it('keeps the refusal of the emulator', async () => {
    const refusal = '<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>';
    const emulator = emulate({ 'ec2.RunInstances': { ...xml(refusal), status: 403 } });
    const ec2 = await startEc2([dryRuns], emulator);

    await expect(ec2.send(dryRun)).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
  });
});
