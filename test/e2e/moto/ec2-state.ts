import {
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  type Instance,
  type LaunchTemplate,
  paginateDescribeInstances,
  type ResponseLaunchTemplateData,
  type Tag,
} from '@aws-sdk/client-ec2';

/** Converts EC2 tags to a record. This file reads EC2's real state, past our adapters. */
export const tagsOf = (tags: readonly Tag[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));

export async function liveInstances(ec2: EC2Client): Promise<readonly Instance[]> {
  const live: Instance[] = [];
  const pages = paginateDescribeInstances({ client: ec2, pageSize: 1000 }, {});
  for await (const { Reservations = [] } of pages) {
    live.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
  }
  return live.filter(({ State }) => State?.Name === 'running' || State?.Name === 'pending');
}

export async function instanceById(ec2: EC2Client, id: string): Promise<Instance | undefined> {
  const answer = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return answer.Reservations?.[0]?.Instances?.[0];
}

export async function listTemplates(ec2: EC2Client): Promise<readonly LaunchTemplate[]> {
  const { LaunchTemplates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
  return LaunchTemplates;
}

export async function templateContent(ec2: EC2Client, LaunchTemplateName: string): Promise<ResponseLaunchTemplateData> {
  const { LaunchTemplateVersions: [version] = [] } = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName }),
  );
  return version?.LaunchTemplateData ?? {};
}
