import {
  CreateTagsCommand,
  type DescribeInstancesCommandInput,
  type EC2Client,
  EC2ServiceException,
  type Instance as Ec2Instance,
  type Filter,
  paginateDescribeInstances,
  RebootInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { splitIntoBatches } from '../../../model/concurrency.ts';
import { RebootRefusedError } from '../../../model/errors.ts';
import { NODECLASS_LABEL, NODEPOOL_LABEL } from '../../../model/labels.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Instance, InstanceFacts, InstanceNames } from '../../../ports/cloud.ts';
import { isRateLimit } from '../launch/fleet-errors.ts';
import { CLAIM_TAG, CLUSTER_TAG, LAUNCH_TAG } from '../launch/fleet-request.ts';
import type { FleetInstance } from '../launch/fleet-response.ts';
import { batchCalls } from './batched-calls.ts';

/** EC2's limit for the values of a filter. */
const MAX_FILTER_VALUES = 200;
/** The number of ids in one request, as in Karpenter; EC2 takes a thousand. */
const MAX_IDS = 500;

/** The tag that the EC2 console shows as the name. */
const NAME_TAG = 'Name';

/** An instance as it was launched. */
export interface LaunchedInstance extends FleetInstance {
  readonly launchedAt: EpochMs;
}

/** The cluster's instances in EC2. New instances may be missing for some seconds. */
export interface Ec2Instances {
  /** Lists the instances that Mortise launched and that are not terminated. */
  list(): Promise<readonly Instance[]>;
  /**
   * Finds several instances with one request for each 200, and those that are not terminated only.
   * An instance that EC2 does not show is missing in the result.
   */
  find(providerIds: readonly string[]): Promise<readonly Instance[]>;
  /** EC2 shows terminated instances for about an hour. `undefined`: EC2 does not show it. */
  get(providerId: string): Promise<Instance | undefined>;
  /** Lists the instances of one launch that are not shutting down, in the order of their ids. */
  listByLaunch(id: string): Promise<readonly LaunchedInstance[]>;
  /** Tags the instance. It is no error if the instance is gone. */
  name(providerId: string, names: InstanceNames): Promise<void>;
  /** Terminates the instance. It is no error if the instance is gone. */
  terminate(providerId: string): Promise<void>;
  /** @throws RebootRefusedError - the instance is gone, or the right is missing */
  reboot(providerId: string): Promise<void>;
}

export function ec2Instances(ec2: EC2Client, cluster: string): Ec2Instances {
  const clusterFilters: Filter[] = [
    { Name: `tag:kubernetes.io/cluster/${cluster}`, Values: ['owned'] },
    { Name: 'tag-key', Values: [LAUNCH_TAG] },
  ];

  /** A request by InstanceIds would fail for all of them if EC2 does not have one. */
  const describeShown = (ids: readonly string[]) =>
    describe(ec2, { Filters: [{ Name: 'instance-id', Values: [...ids] }] });
  const describeOne = batchCalls({
    maxSize: MAX_FILTER_VALUES,
    async callAll(ids) {
      const described = await describeShown(ids);
      return new Map(described.map((one) => [one.InstanceId ?? '', { answer: toInstance(one) }] as const));
    },
    async callOne(id) {
      const [described] = await ignoreNotFound(() => describe(ec2, { InstanceIds: [id] }), []);
      return described && toInstance(described);
    },
  });
  const terminateOne = batchCalls<void>({
    maxSize: MAX_IDS,
    async callAll(InstanceIds) {
      try {
        const { TerminatingInstances = [] } = await ec2.send(
          new TerminateInstancesCommand({ InstanceIds: [...InstanceIds] }),
        );
        return new Map(TerminatingInstances.map(({ InstanceId = '' }) => [InstanceId, { answer: undefined }]));
      } catch (error) {
        if (!isAboutInstances(error)) throw error;
        return new Map();
      }
    },
    async callOne(id) {
      const InstanceIds = [id];
      await ignoreNotFound(() => ec2.send(new TerminateInstancesCommand({ InstanceIds })), undefined);
    },
  });

  return {
    async list() {
      return toLiveInstances(await describe(ec2, { Filters: [...clusterFilters, LIVE] }));
    },
    async find(providerIds) {
      const batches = splitIntoBatches(providerIds.map(toInstanceId), MAX_FILTER_VALUES);
      const described = await Promise.all(batches.map(describeShown));
      return toLiveInstances(described.flat());
    },
    get: async (providerId) => describeOne(toInstanceId(providerId)),
    async listByLaunch(id) {
      const launched = { Name: `tag:${LAUNCH_TAG}`, Values: [id] };
      const described = await describe(ec2, { Filters: [...clusterFilters, launched, LIVE] });
      const active = described.filter((instance) => STATES.get(instance.State?.Name) !== 'shutting-down');
      return active.map(toLaunched).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    async name(providerId, { claim, name, clusterTag }) {
      const Tags = [
        { Key: CLUSTER_TAG, Value: clusterTag && cluster },
        { Key: CLAIM_TAG, Value: claim },
        { Key: NAME_TAG, Value: name },
      ].filter(({ Value }) => Value !== undefined);
      const Resources = [toInstanceId(providerId)];
      await ignoreNotFound(() => ec2.send(new CreateTagsCommand({ Resources, Tags })), undefined);
    },
    terminate: async (providerId) => terminateOne(toInstanceId(providerId)),
    async reboot(providerId) {
      const id = toInstanceId(providerId);
      try {
        await ec2.send(new RebootInstancesCommand({ InstanceIds: [id] }));
      } catch (cause) {
        if (!(cause instanceof EC2ServiceException && FINAL_REFUSALS.has(cause.name))) throw cause;
        throw new RebootRefusedError(id, { cause });
      }
    },
  };
}

async function describe(ec2: EC2Client, input: DescribeInstancesCommandInput): Promise<Ec2Instance[]> {
  // EC2 refuses a page size together with ids.
  const paging = input.InstanceIds ? { client: ec2 } : { client: ec2, pageSize: 1000 };
  const instances: Ec2Instance[] = [];
  for await (const { Reservations = [] } of paginateDescribeInstances(paging, input)) {
    instances.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
  }
  return instances;
}

/**
 * EC2 refuses a request for many instances because of one of them, for example as it is protected from
 * termination. It may also refuse requests in general: one per instance would then make it worse.
 */
const isAboutInstances = (error: unknown): boolean =>
  error instanceof EC2ServiceException && !isRateLimit(error.name) && error.$fault === 'client';

async function ignoreNotFound<T, U>(call: () => Promise<T>, fallback: U): Promise<T | U> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    if (error.name !== 'InvalidInstanceID.NotFound') throw error;
    return fallback;
  }
}

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html */
const FINAL_REFUSALS: ReadonlySet<string> = new Set(['InvalidInstanceID.NotFound', 'UnauthorizedOperation']);

/** Maps EC2's instance states. A stopped instance still has to be terminated. */
const STATES: ReadonlyMap<string | undefined, Instance['state']> = new Map([
  ['pending', 'pending'],
  ['running', 'running'],
  ['stopping', 'stopped'],
  ['stopped', 'stopped'],
  ['shutting-down', 'shutting-down'],
  ['terminated', 'terminated'],
]);
const LIVE: Filter = {
  Name: 'instance-state-name',
  Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'],
};

const toLiveInstances = (described: readonly Ec2Instance[]): readonly Instance[] =>
  described.flatMap((instance) => toInstance(instance) ?? []).filter(({ state }) => state !== 'terminated');

/** Returns undefined for a state that EC2 added. */
function toInstance(instance: Ec2Instance): Instance | undefined {
  const state = STATES.get(instance.State?.Name);
  if (!state) return undefined;
  const { id, zone, launchedAt } = toLaunched(instance);
  const name = findTag(instance, NAME_TAG);
  const launchId = findTag(instance, LAUNCH_TAG);
  // EC2 may return 0 for an instance without a partition.
  const partition = instance.Placement?.PartitionNumber;
  return {
    providerId: toProviderId(zone, id),
    claim: findTag(instance, CLAIM_TAG) ?? '',
    ...(name !== undefined && { name }),
    state,
    ...(launchId && { launchId }),
    launchedAt,
    facts: toFacts(instance),
    ...(!findTag(instance, CLUSTER_TAG) && { lacksClusterTag: true }),
    ...(partition && { partition }),
  };
}

function toFacts(instance: Ec2Instance): InstanceFacts {
  const { instanceType, zone, capacityType } = toLaunched(instance);
  const pool = findTag(instance, NODEPOOL_LABEL) ?? '';
  return { instanceType, zone, capacityType, pool, nodeClass: findTag(instance, NODECLASS_LABEL) ?? '' };
}

const toLaunched = (instance: Ec2Instance): LaunchedInstance => ({
  id: instance.InstanceId ?? '',
  instanceType: instance.InstanceType ?? '',
  zone: instance.Placement?.AvailabilityZone ?? '',
  ...toCapacityType(instance),
  launchedAt: instance.LaunchTime?.getTime() ?? 0,
  ...(instance.SubnetId !== undefined && { subnetId: instance.SubnetId }),
});

/** An on-demand instance that runs in an open reservation is still on-demand. */
function toCapacityType(instance: Ec2Instance): Pick<LaunchedInstance, 'capacityType' | 'reservation'> {
  const { InstanceLifecycle: lifecycle, CapacityReservationId: id } = instance;
  if (lifecycle === 'spot') return { capacityType: 'spot' };
  const preference = instance.CapacityReservationSpecification?.CapacityReservationPreference;
  if (id === undefined || preference !== 'capacity-reservations-only') {
    return { capacityType: 'on-demand' };
  }
  const kind = lifecycle === 'capacity-block' ? 'capacity-block' : 'default';
  const isInterruptible = lifecycle === 'interruptible-capacity-reservation';
  return { capacityType: 'reserved', reservation: { id, kind, isInterruptible, free: 0 } };
}

const findTag = ({ Tags = [] }: Ec2Instance, key: string) => Tags.find(({ Key }) => Key === key)?.Value;

export const toProviderId = (zone: string, id: string): string => `aws:///${zone}/${id}`;

/**
 * @throws Error - the provider ID is not one of EC2
 */
function toInstanceId(providerId: string): string {
  const id = /^aws:\/\/\/[^/]*\/(i-[^/]+)$/.exec(providerId)?.[1];
  if (id === undefined) throw new Error(`${providerId} is no instance of EC2`);
  return id;
}
