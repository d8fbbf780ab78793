import {
  DescribeImagesCommand,
  DescribeSubnetsCommand,
  type Instance,
  type _InstanceType as InstanceType,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { DISCOVERY_TAG } from './account.ts';
import type { CloudClients } from './cloud-clients.ts';

export interface InstanceOrder {
  readonly instanceType: InstanceType;
  readonly tags: Readonly<Record<string, string>>;
  readonly userData?: string;
  /** By default the first subnet of the lab. Callers that start many instances look it up once. */
  readonly target?: InstanceTarget | undefined;
}

/** The image that an instance is started from, and its subnet. */
interface InstanceTarget {
  readonly ImageId: string | undefined;
  readonly SubnetId: string | undefined;
}

/** Finds a Linux image, once for each subnet of the lab. */
export async function findTargets({ ec2 }: CloudClients): Promise<readonly InstanceTarget[]> {
  const [{ Images = [] }, { Subnets = [] }] = await Promise.all([
    ec2.send(new DescribeImagesCommand({ Owners: ['amazon'] })),
    ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'tag-key', Values: [DISCOVERY_TAG] }] })),
  ]);
  const image = Images.find(({ Architecture, Platform }) => Architecture === 'x86_64' && Platform === undefined);
  return Subnets.map(({ SubnetId }) => ({ ImageId: image?.ImageId, SubnetId }));
}

/** Starts an on-demand instance in EC2 that Mortise has not asked for. */
export async function runInstance(
  cloud: CloudClients,
  { instanceType, tags, userData, target }: InstanceOrder,
): Promise<Instance & { readonly InstanceId: string }> {
  const [firstTarget] = target === undefined ? await findTargets(cloud) : [target];
  const { Instances = [] } = await cloud.ec2.send(
    new RunInstancesCommand({
      ...firstTarget,
      InstanceType: instanceType,
      MinCount: 1,
      MaxCount: 1,
      ...(userData !== undefined && { UserData: Buffer.from(userData).toString('base64') }),
      TagSpecifications: [
        {
          ResourceType: 'instance',
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        },
      ],
    }),
  );
  const [instance] = Instances;
  if (instance?.InstanceId === undefined) throw new Error('EC2 started no instance');
  return { ...instance, InstanceId: instance.InstanceId };
}

export const providerIdOf = ({ Placement, InstanceId }: Instance): string =>
  `aws:///${Placement?.AvailabilityZone}/${InstanceId}`;
