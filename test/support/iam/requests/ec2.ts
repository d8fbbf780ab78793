import * as z from 'zod';
import { LAUNCH_OPERATIONS } from './ec2-launch.ts';
import {
  type Account,
  ask,
  onAnything,
  operation,
  requestTags,
  resourceTags,
  type ServiceRequests,
  tagsSchema,
  toArn,
} from './request.ts';

/**
 * EC2's lists and descriptions support no resource.
 *
 * @see docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
 */
const DESCRIPTIONS = [
  'DescribeCapacityReservations',
  'DescribeImages',
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeInstanceTypeOfferings',
  'DescribeInstanceTypes',
  'DescribeLaunchTemplates',
  'DescribePlacementGroups',
  'DescribeReservedInstances',
  'DescribeRouteTables',
  'DescribeSecurityGroups',
  'DescribeSpotPriceHistory',
  'DescribeSubnets',
  'DescribeVpcEndpoints',
] as const;

/** The resource types of ids, by their prefixes. */
const KINDS: Readonly<Record<string, string>> = {
  i: 'instance',
  lt: 'launch-template',
  subnet: 'subnet',
  vol: 'volume',
};

function toEc2Arn(account: Account, id: string): string {
  const kind = KINDS[id.split('-')[0] ?? ''];
  if (kind === undefined) throw new Error(`the resource type of ${id} is not known`);
  return toArn(account, 'ec2', `${kind}/${id}`);
}

const onInstances = (action: string) =>
  operation(z.object({ InstanceIds: z.array(z.string()) }), (input, account) =>
    input.InstanceIds.map((id) => {
      const arn = toEc2Arn(account, id);
      return ask(account, action, arn, resourceTags(account, arn));
    }),
  );

export const EC2: ServiceRequests = {
  prefix: 'ec2',
  operations: {
    ...Object.fromEntries(DESCRIPTIONS.map((name) => [name, onAnything(`ec2:${name}`)])),
    ...LAUNCH_OPERATIONS,
    GetConsoleOutput: operation(z.object({ InstanceId: z.string() }), ({ InstanceId }, account) => {
      const arn = toEc2Arn(account, InstanceId);
      return [ask(account, 'ec2:GetConsoleOutput', arn, resourceTags(account, arn))];
    }),
    TerminateInstances: onInstances('ec2:TerminateInstances'),
    RebootInstances: onInstances('ec2:RebootInstances'),
    CreateTags: operation(
      z.object({ Resources: z.array(z.string()), Tags: tagsSchema }),
      ({ Resources, Tags }, account) =>
        Resources.map((id) => {
          const arn = toEc2Arn(account, id);
          const context = { ...requestTags(Tags), ...resourceTags(account, arn) };
          return ask(account, 'ec2:CreateTags', arn, context);
        }),
    ),
    DeleteLaunchTemplate: operation(
      z.object({
        LaunchTemplateId: z.string().optional(),
        LaunchTemplateName: z.string().optional(),
      }),
      ({ LaunchTemplateId, LaunchTemplateName = '' }, account) => {
        const arn = toArn(account, 'ec2', `launch-template/${LaunchTemplateId ?? LaunchTemplateName}`);
        return [ask(account, 'ec2:DeleteLaunchTemplate', arn, resourceTags(account, arn))];
      },
    ),
  },
};
