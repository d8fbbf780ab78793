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
}

/** Starts an on-demand instance in EC2 that Mortise has not asked for. */
export async function runInstance(
  { ec2 }: CloudClients,
  { instanceType, tags, userData }: InstanceOrder,
): Promise<Instance & { readonly InstanceId: string }> {
  const [{ Images = [] }, { Subnets = [] }] = await Promise.all([
    ec2.send(new DescribeImagesCommand({ Owners: ['amazon'] })),
    ec2.send(
      new DescribeSubnetsCommand({ Filters: [{ Name: 'tag-key', Values: [DISCOVERY_TAG] }] }),
    ),
  ]);
  const image = Images.find(
    ({ Architecture, Platform }) => Architecture === 'x86_64' && Platform === undefined,
  );
  const { Instances = [] } = await ec2.send(
    new RunInstancesCommand({
      ImageId: image?.ImageId,
      InstanceType: instanceType,
      SubnetId: Subnets[0]?.SubnetId,
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
