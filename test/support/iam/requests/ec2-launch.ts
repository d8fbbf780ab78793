import * as z from 'zod';
import type { Check } from '../evaluate.ts';
import {
  type Account,
  ask,
  askKey,
  operation,
  requestTags,
  resourceTags,
  type Tags,
  tagsSchema,
  toArn,
} from './request.ts';

const tagSpecifications = z
  .array(z.object({ ResourceType: z.string(), Tags: tagsSchema }))
  .default([])
  .transform((all) => new Map(all.map(({ ResourceType, Tags }) => [ResourceType, Tags])));
type TagSpecifications = z.output<typeof tagSpecifications>;

const templateReference = z.object({
  LaunchTemplateId: z.string().optional(),
  LaunchTemplateName: z.string().optional(),
});

/** The fields of a launch that name resources. */
const launchSchema = z.object({
  ImageId: z.string().optional(),
  IamInstanceProfile: z.object({ Name: z.string().optional(), Arn: z.string().optional() }).optional(),
  SubnetId: z.string().optional(),
  SecurityGroupIds: z.array(z.string()).default([]),
  NetworkInterfaces: z
    .array(z.object({ SubnetId: z.string().optional(), Groups: z.array(z.string()).default([]) }))
    .default([]),
  BlockDeviceMappings: z
    .array(
      z.object({
        Ebs: z.object({ SnapshotId: z.string().optional(), KmsKeyId: z.string().optional() }).optional(),
      }),
    )
    .default([]),
  Placement: z.object({ GroupId: z.string().optional() }).optional(),
  CapacityReservationSpecification: z
    .object({
      CapacityReservationTarget: z.object({ CapacityReservationId: z.string().optional() }).optional(),
    })
    .optional(),
  TagSpecifications: tagSpecifications,
});
type Launch = z.output<typeof launchSchema>;

const runInstancesSchema = launchSchema.extend({
  LaunchTemplate: templateReference.optional(),
  InstanceMarketOptions: z.object({ MarketType: z.string().optional() }).optional(),
  DryRun: z.union([z.boolean(), z.string()]).optional(),
});

const fleetSchema = z.object({
  LaunchTemplateConfigs: z
    .array(
      z.object({
        LaunchTemplateSpecification: templateReference,
        Overrides: z.array(z.object({ SubnetId: z.string().optional() })).default([]),
      }),
    )
    .default([]),
  TargetCapacitySpecification: z.object({ DefaultTargetCapacityType: z.string().optional() }).optional(),
  TagSpecifications: tagSpecifications,
  DryRun: z.union([z.boolean(), z.string()]).optional(),
});

/** Ids that EC2 has not given yet. */
const NEW = 'new';

/**
 * EC2 authorizes a launch once for each resource type that takes part, with the tags that this type
 * gets. A dry run is authorized in the same way.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/UserGuide/ExamplePolicies_EC2.html, "Launch instances (RunInstances)"
 * @see docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html, RunInstances
 */
const runInstances = operation(runInstancesSchema, (input, account) => {
  const template = input.LaunchTemplate;
  const launch = template ? merge(readTemplate(account, template), input) : input;
  const isSpot = input.InstanceMarketOptions?.MarketType === 'spot';
  const isDryRun = String(input.DryRun) === 'true';
  return [
    ...(isDryRun ? [] : askVolumeKeys(account, launch)),
    ...askLaunch(account, launch, { isSpot }),
    ...(template ? [askTemplate(account, 'ec2:RunInstances', template)] : []),
    ...askTags(account, launch.TagSpecifications, ['RunInstances']),
  ];
});

/**
 * An instant fleet launches with the caller's permissions: RunInstances on what it launches, and
 * PassRole of the instances' role. EC2 does not say with which `ec2:CreateAction` a fleet tags
 * instances and volumes, so both must be allowed.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-prerequisites.html
 */
const createFleet = operation(fleetSchema, (input, account) => {
  const isSpot = input.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot';
  const fleetTags = input.TagSpecifications.get('fleet') ?? {};
  const checks = input.LaunchTemplateConfigs.flatMap((config): readonly Check[] => {
    const template = config.LaunchTemplateSpecification;
    const launch = merge(readTemplate(account, template), {
      ...launchSchema.parse({}),
      TagSpecifications: input.TagSpecifications,
      NetworkInterfaces: config.Overrides.map(({ SubnetId }) => ({ SubnetId, Groups: [] })),
    });
    const { TagSpecifications } = launch;
    return [
      ...(String(input.DryRun) === 'true' ? [] : askVolumeKeys(account, launch)),
      askTemplate(account, 'ec2:CreateFleet', template),
      askTemplate(account, 'ec2:RunInstances', template),
      ...askOnFleet(account, launch),
      ...askLaunch(account, launch, { isSpot }),
      ...askTags(account, without(TagSpecifications, 'fleet'), ['RunInstances', 'CreateFleet']),
    ];
  });
  const fleet = toArn(account, 'ec2', `fleet/${NEW}`);
  return [
    ask(account, 'ec2:CreateFleet', fleet, requestTags(fleetTags)),
    ...askTags(account, new Map([['fleet', fleetTags]]), ['CreateFleet']),
    ...checks,
  ];
});

const createLaunchTemplate = operation(
  z.object({ TagSpecifications: tagSpecifications }),
  ({ TagSpecifications }, account) => {
    const template = toArn(account, 'ec2', `launch-template/${NEW}`);
    const tags = TagSpecifications.get('launch-template') ?? {};
    return [
      ask(account, 'ec2:CreateLaunchTemplate', template, requestTags(tags)),
      ...askTags(account, TagSpecifications, ['CreateLaunchTemplate']),
    ];
  },
);

export const LAUNCH_OPERATIONS = {
  RunInstances: runInstances,
  CreateFleet: createFleet,
  CreateLaunchTemplate: createLaunchTemplate,
};

type Template = z.output<typeof templateReference>;

const nameOf = ({ LaunchTemplateId, LaunchTemplateName }: Template): string =>
  LaunchTemplateId ?? LaunchTemplateName ?? '';

const readTemplate = (account: Account, template: Template): Launch =>
  launchSchema.parse(account.templateData(nameOf(template)));

/** The fields of a request replace those of its template; the subnets of both are interfaces'. */
function merge(template: Launch, input: Launch): Launch {
  const groups = template.NetworkInterfaces.flatMap(({ Groups }) => Groups);
  return {
    ...template,
    ...Object.fromEntries(
      Object.entries(input).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined)),
    ),
    NetworkInterfaces: input.NetworkInterfaces.map((one) => ({
      ...one,
      Groups: one.Groups.length > 0 ? one.Groups : groups,
    })),
    TagSpecifications: new Map([...template.TagSpecifications, ...input.TagSpecifications]),
  };
}

function askTemplate(account: Account, action: string, template: Template): Check {
  const arn = toArn(account, 'ec2', `launch-template/${nameOf(template)}`);
  return ask(account, action, arn, resourceTags(account, arn));
}

/** The resources that the launch uses; they exist. */
function listUsed(account: Account, launch: Launch): readonly string[] {
  const { ImageId, SubnetId, Placement, CapacityReservationSpecification } = launch;
  const ec2 = (kind: string, id: string | undefined): readonly string[] =>
    id === undefined ? [] : [toArn(account, 'ec2', `${kind}/${id}`)];
  const isPublic = { account: '' };
  const reservation = CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId;
  return [
    ...(ImageId === undefined ? [] : [toArn(account, 'ec2', `image/${ImageId}`, isPublic)]),
    ...launch.BlockDeviceMappings.flatMap(({ Ebs }) =>
      Ebs?.SnapshotId ? [toArn(account, 'ec2', `snapshot/${Ebs.SnapshotId}`, isPublic)] : [],
    ),
    ...ec2('subnet', SubnetId),
    ...launch.NetworkInterfaces.flatMap((one) => ec2('subnet', one.SubnetId)),
    ...launch.SecurityGroupIds.flatMap((id) => ec2('security-group', id)),
    ...launch.NetworkInterfaces.flatMap(({ Groups }) => Groups.flatMap((id) => ec2('security-group', id))),
    ...ec2('placement-group', Placement?.GroupId),
    ...ec2('capacity-reservation', reservation),
  ];
}

function askLaunch(account: Account, launch: Launch, { isSpot }: { readonly isSpot: boolean }): readonly Check[] {
  const created = ['instance', 'volume', 'network-interface'];
  const kinds = isSpot ? [...created, 'spot-instances-request'] : created;
  return [
    ...kinds.map((kind) =>
      ask(
        account,
        'ec2:RunInstances',
        toArn(account, 'ec2', `${kind}/${NEW}`),
        requestTags(launch.TagSpecifications.get(kind) ?? {}),
      ),
    ),
    ...[...new Set(listUsed(account, launch))].map((arn) =>
      ask(account, 'ec2:RunInstances', arn, resourceTags(account, arn)),
    ),
    ...askRole(account, launch),
  ];
}

/** The resource types of CreateFleet itself besides the fleet and the template. */
function askOnFleet(account: Account, launch: Launch): readonly Check[] {
  const kinds = ['image', 'subnet', 'capacity-reservation', 'placement-group'];
  const used = [...new Set(listUsed(account, launch))].filter((arn) => kinds.some((kind) => arn.includes(`:${kind}/`)));
  return [
    ...['instance', 'volume'].map((kind) =>
      ask(
        account,
        'ec2:CreateFleet',
        toArn(account, 'ec2', `${kind}/${NEW}`),
        requestTags(launch.TagSpecifications.get(kind) ?? {}),
      ),
    ),
    ...used.map((arn) => ask(account, 'ec2:CreateFleet', arn, resourceTags(account, arn))),
  ];
}

/**
 * EC2 uses the keys of volumes for the caller of a launch, after it has accepted the launch: a dry run
 * does not show it.
 *
 * @see docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html, "Permissions for IAM users"
 */
function askVolumeKeys(account: Account, { BlockDeviceMappings }: Launch): readonly Check[] {
  const keys = BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.KmsKeyId ?? account.volumeKey ?? []);
  return [...new Set(keys)].flatMap((key) =>
    askKey(
      {
        ...account,
        keyOf: () => (key.startsWith('arn:') ? key : toArn(account, 'kms', `key/${key}`)),
      },
      'ec2',
      key,
      ...['CreateGrant', 'Decrypt', 'DescribeKey', 'GenerateDataKeyWithoutPlaintext'],
      ...['ReEncryptFrom', 'ReEncryptTo'],
    ),
  );
}

/** @see docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html */
function askRole(account: Account, { IamInstanceProfile }: Launch): readonly Check[] {
  const profile = IamInstanceProfile?.Name ?? IamInstanceProfile?.Arn?.split('/').at(-1);
  if (profile === undefined) return [];
  return account
    .rolesOf(profile)
    .map((role) => ask(account, 'iam:PassRole', role, { 'iam:PassedToService': ec2Principal(account) }));
}

/** @see docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html */
export const ec2Principal = ({ partition, urlSuffix }: Account): string =>
  partition === 'aws-cn' ? `ec2.${urlSuffix}` : 'ec2.amazonaws.com';

/**
 * Tags at creation need CreateTags on each tagged resource.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/UserGuide/supported-iam-actions-tagging.html
 */
const askTags = (
  account: Account,
  all: ReadonlyMap<string, Tags>,
  createActions: readonly string[],
): readonly Check[] =>
  [...all]
    .filter(([, tags]) => Object.keys(tags).length > 0)
    .flatMap(([kind, tags]) =>
      createActions.map((action) =>
        ask(account, 'ec2:CreateTags', toArn(account, 'ec2', `${kind}/${NEW}`), {
          ...requestTags(tags),
          'ec2:CreateAction': action,
        }),
      ),
    );

const without = (all: TagSpecifications, kind: string): TagSpecifications =>
  new Map([...all].filter(([other]) => other !== kind));
