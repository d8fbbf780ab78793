import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  type CreateFleetCommandOutput,
  CreateLaunchTemplateCommand,
  type CreateLaunchTemplateCommandInput,
  CreateTagsCommand,
  type CreateTagsCommandInput,
  DeleteLaunchTemplateCommand,
  type DeleteLaunchTemplateCommandInput,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  DescribeLaunchTemplatesCommand,
  type DescribeLaunchTemplatesCommandInput,
  EC2Client,
  EC2ServiceException,
  type Filter,
  type FleetLaunchTemplateOverridesRequest,
  type Instance,
  type LaunchTemplate,
  RebootInstancesCommand,
  type RebootInstancesCommandInput,
  TerminateInstancesCommand,
  type TerminateInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { NOON } from '../../support/builders.ts';

type Override = FleetLaunchTemplateOverridesRequest;

export interface FakeEc2 {
  readonly client: EC2Client;
  /** Every CreateFleet request, oldest first. */
  readonly fleets: readonly CreateFleetCommandInput[];
  readonly instances: readonly Instance[];
  /** The number of DescribeInstances requests. */
  describeCalls(): number;
  /** The number of TerminateInstances requests. */
  terminateCalls(): number;
  /** The instances that were rebooted. */
  readonly reboots: readonly string[];
  /** From now on every request to reboot fails with the error. */
  refuseReboots(code: string): void;
  /** From now on a request to terminate this instance, alone or with others, fails with the error. */
  refuseTermination(id: string, code: string): void;
  /** Every created template, oldest first. */
  readonly templates: readonly CreateLaunchTemplateCommandInput[];
  /** The names of the existing templates. */
  readonly templateNames: readonly string[];
  /** Deletes all templates. */
  loseTemplates(): void;
  /** From now on every fleet repeats the last response and launches nothing. */
  repeatAnswers(): void;
  /** Limits the instances of a capacity type per fleet. */
  limit(capacityType: 'spot' | 'on-demand', max: number): void;
  /** Adds an instance of another owner. */
  add(instance: Instance): void;
  /** Terminates the instances that are shutting down; EC2 still lists them. */
  waitUntilVisible(): void;
  /** Removes the terminated instances. */
  forget(): void;
}

/**
 * Returns EC2's error for an override, as a code or as code and message; undefined to launch it.
 * May throw like the SDK.
 */
export type Refuse = (
  override: Override,
  input: CreateFleetCommandInput,
) => string | readonly [code: string, message: string] | undefined;

/**
 * The part of EC2 that an instant fleet needs: it launches the first override that it does not
 * refuse, and ignores repeated client tokens.
 */
export function fakeEc2(refuse: Refuse = () => undefined): FakeEc2 {
  const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const fleets: CreateFleetCommandInput[] = [];
  const templates: CreateLaunchTemplateCommandInput[] = [];
  let present: LaunchTemplate[] = [];
  let instances: Instance[] = [];

  let lastAnswer: Partial<CreateFleetCommandOutput> | undefined;
  let isRepeating = false;
  const limits = new Map<string, number>();
  const refusedTerminations = new Map<string, string>();

  function createFleet(input: CreateFleetCommandInput): Partial<CreateFleetCommandOutput> {
    fleets.push(input);
    if (isRepeating && lastAnswer) return lastAnswer;
    lastAnswer = launchFleet(input);
    return lastAnswer;
  }

  function launchFleet(input: CreateFleetCommandInput): Partial<CreateFleetCommandOutput> {
    for (const { LaunchTemplateSpecification } of input.LaunchTemplateConfigs ?? []) {
      mustHave(LaunchTemplateSpecification?.LaunchTemplateName);
    }
    const overrides = input.LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides) ?? [];
    const chosen = overrides.find((override) => refuse(override, input) === undefined);
    const isSpot = input.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot';
    const refused = chosen ? overrides.slice(0, overrides.indexOf(chosen)) : overrides;
    const Errors = refused.map((override) => {
      const [ErrorCode = '', ErrorMessage = 'as the test wants it'] = [refuse(override, input)].flat();
      return {
        ErrorCode,
        ErrorMessage,
        LaunchTemplateAndOverrides: { Overrides: answered(override) },
      };
    });
    if (!chosen) return { Errors, Instances: [] };

    const expected = input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0;
    const max = limits.get(isSpot ? 'spot' : 'on-demand') ?? expected;
    const count = Math.min(expected, max);
    const started = Array.from({ length: count }, () => start(chosen, input, isSpot));
    return {
      Errors,
      Instances: [
        {
          InstanceIds: started.map(({ InstanceId = '' }) => InstanceId),
          InstanceType: chosen.InstanceType,
          Lifecycle: isSpot ? 'spot' : 'on-demand',
          LaunchTemplateAndOverrides: { Overrides: answered(chosen) },
        },
      ],
    };
  }

  function start(
    { InstanceType, AvailabilityZone, SubnetId }: Override,
    { TagSpecifications = [] }: CreateFleetCommandInput,
    isSpot: boolean,
  ): Instance {
    const instance: Instance = {
      InstanceId: `i-${`${instances.length + 1}`.padStart(17, '0')}`,
      InstanceType,
      SubnetId,
      LaunchTime: new Date(NOON),
      State: { Name: 'pending' },
      Placement: { AvailabilityZone },
      Tags: TagSpecifications.find(({ ResourceType }) => ResourceType === 'instance')?.Tags,
      ...(isSpot && { InstanceLifecycle: 'spot' }),
    };
    instances.push(instance);
    return instance;
  }

  function describe({ InstanceIds, Filters = [] }: DescribeInstancesCommandInput) {
    for (const id of InstanceIds ?? []) mustExist(id);
    const result = instances.filter(
      (instance) =>
        (!InstanceIds || InstanceIds.includes(instance.InstanceId ?? '')) &&
        Filters.every((filter) => passes(instance, filter)),
    );
    // EC2 groups instances that were launched together.
    return { Reservations: result.map((instance) => ({ Instances: [instance] })) };
  }

  function terminate(ids: readonly string[] = []) {
    for (const id of ids) {
      mustExist(id);
      const refusal = refusedTerminations.get(id);
      if (refusal) throw ec2Error(refusal);
    }
    change(({ InstanceId = '', State }) => ids.includes(InstanceId) && State?.Name !== 'terminated', 'shutting-down');
    return { TerminatingInstances: ids.map((InstanceId) => ({ InstanceId })) };
  }

  function mustExist(id: string): void {
    if (!instances.some(({ InstanceId }) => InstanceId === id)) {
      throw ec2Error('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
    }
  }

  function change(which: (instance: Instance) => boolean, Name: 'shutting-down' | 'terminated') {
    instances = instances.map((one) => (which(one) ? { ...one, State: { Name } } : one));
  }

  function createTemplate(input: CreateLaunchTemplateCommandInput) {
    const { LaunchTemplateName, TagSpecifications = [] } = input;
    if (present.some((one) => one.LaunchTemplateName === LaunchTemplateName)) {
      throw ec2Error('InvalidLaunchTemplateName.AlreadyExistsException');
    }
    templates.push(input);
    const LaunchTemplateId = `lt-${templates.length}`;
    const CreateTime = new Date(NOON);
    const [{ Tags = [] } = {}] = TagSpecifications;
    present.push({ LaunchTemplateId, LaunchTemplateName, CreateTime, Tags });
    return {};
  }

  function describeTemplates(input: DescribeLaunchTemplatesCommandInput) {
    const { LaunchTemplateNames, Filters = [] } = input;
    for (const name of LaunchTemplateNames ?? []) mustHave(name);
    const result = present.filter(
      (one) =>
        (LaunchTemplateNames?.includes(one.LaunchTemplateName ?? '') ?? true) &&
        Filters.every((filter) => passes(one, filter)),
    );
    return { LaunchTemplates: result };
  }

  function deleteTemplate({ LaunchTemplateId }: DeleteLaunchTemplateCommandInput) {
    present = present.filter((one) => one.LaunchTemplateId !== LaunchTemplateId);
    return {};
  }

  function mustHave(name: string | undefined): void {
    if (!present.some(({ LaunchTemplateName }) => LaunchTemplateName === name)) {
      throw ec2Error('InvalidLaunchTemplateName.NotFoundException');
    }
  }

  function tag({ Resources: [id] = [], Tags: given = [] }: CreateTagsCommandInput): object {
    const instance = instances.find(({ InstanceId }) => InstanceId === id);
    if (!instance) throw ec2Error('InvalidInstanceID.NotFound');
    const keys = new Set(given.map(({ Key }) => Key));
    const kept = (instance.Tags ?? []).filter(({ Key }) => !keys.has(Key));
    instances = instances.map((one) => (one === instance ? { ...one, Tags: [...kept, ...given] } : one));
    return {};
  }

  const stub = mockClient(client);
  stub.on(CreateLaunchTemplateCommand).callsFake(createTemplate);
  stub.on(DescribeLaunchTemplatesCommand).callsFake(describeTemplates);
  stub.on(DeleteLaunchTemplateCommand).callsFake(deleteTemplate);
  stub.on(CreateFleetCommand).callsFake(createFleet);
  stub.on(DescribeInstancesCommand).callsFake(describe);
  stub.on(CreateTagsCommand).callsFake(tag);
  stub
    .on(TerminateInstancesCommand)
    .callsFake(({ InstanceIds }: TerminateInstancesCommandInput) => terminate(InstanceIds));
  const reboots: string[] = [];
  let refusedReboots: string | undefined;
  stub.on(RebootInstancesCommand).callsFake(({ InstanceIds = [] }: RebootInstancesCommandInput) => {
    if (refusedReboots !== undefined) throw ec2Error(refusedReboots);
    InstanceIds.forEach(mustExist);
    reboots.push(...InstanceIds);
    return {};
  });

  return {
    client,
    fleets,
    templates,
    get templateNames() {
      return present.map(({ LaunchTemplateName = '' }) => LaunchTemplateName);
    },
    describeCalls: () => stub.commandCalls(DescribeInstancesCommand).length,
    terminateCalls: () => stub.commandCalls(TerminateInstancesCommand).length,
    reboots,
    refuseReboots: (code) => {
      refusedReboots = code;
    },
    refuseTermination: (id, code) => void refusedTerminations.set(id, code),
    loseTemplates: () => {
      present = [];
    },
    get instances() {
      return instances;
    },
    repeatAnswers: () => {
      isRepeating = true;
    },
    limit: (capacityType, max) => void limits.set(capacityType, max),
    add: (instance) => void instances.push(instance),
    waitUntilVisible: () => change(({ State }) => State?.Name === 'shutting-down', 'terminated'),
    forget() {
      instances = instances.filter(({ State }) => State?.Name !== 'terminated');
    },
  };
}

const answered = ({ InstanceType, SubnetId, AvailabilityZone }: Override) => ({
  InstanceType,
  SubnetId,
  AvailabilityZone,
});

function passes(instance: Instance | LaunchTemplate, { Name = '', Values = [] }: Filter): boolean {
  const tags = instance.Tags ?? [];
  if (Name === 'tag-key') return tags.some(({ Key = '' }) => Values.includes(Key));
  if (Name === 'instance-state-name') {
    return 'State' in instance && Values.includes(instance.State?.Name ?? '');
  }
  if (Name === 'instance-id') {
    return 'InstanceId' in instance && Values.includes(instance.InstanceId ?? '');
  }
  if (!Name.startsWith('tag:')) throw new Error(`filter ${Name} is not faked`);
  return tags.some(({ Key, Value = '' }) => Key === Name.slice('tag:'.length) && Values.includes(Value));
}

/** An error as the SDK throws it. */
export const ec2Error = (name: string, message = name, httpStatusCode = 400): EC2ServiceException =>
  new EC2ServiceException({
    name,
    message,
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode },
  });
