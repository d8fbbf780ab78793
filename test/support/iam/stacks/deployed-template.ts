import * as z from 'zod';

/** Where a template is deployed, for the test alone. */
export interface Location {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly urlSuffix: string;
}

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

/**
 * Resolves a template as CloudFormation does when it deploys it. Resources without a name are named by
 * their logical ids.
 *
 * @throws Error - a function or an attribute is not known here
 */
export function deployTemplate(template: unknown, location: Location): readonly Resource[] {
  const { Resources } = templateSchema.parse(template);
  const resolver = createResolver(Resources, location);
  return Object.entries(Resources).map(([id, { Type, Properties }]) => ({
    id,
    type: Type,
    properties: z.record(z.string(), z.unknown()).parse(resolver(Properties)),
  }));
}

type RawResources = z.output<typeof templateSchema>['Resources'];

const joinSchema = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) });
const splitSchema = z.object({ 'Fn::Split': z.tuple([z.string(), z.unknown()]) });
const selectSchema = z.object({ 'Fn::Select': z.tuple([z.coerce.number(), z.unknown()]) });
const refSchema = z.object({ Ref: z.string() });
const attributeSchema = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });

function createResolver(resources: RawResources, location: Location): (value: unknown) => unknown {
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const reference = refSchema.safeParse(value).data;
    if (reference) return refer(reference.Ref);
    const attribute = attributeSchema.safeParse(value).data;
    if (attribute) return readAttribute(...attribute['Fn::GetAtt']);
    const join = joinSchema.safeParse(value).data?.['Fn::Join'];
    if (join) return join[1].map((part) => String(resolve(part))).join(join[0]);
    const split = splitSchema.safeParse(value).data?.['Fn::Split'];
    if (split) return String(resolve(split[1])).split(split[0]);
    const select = selectSchema.safeParse(value).data?.['Fn::Select'];
    if (select) return z.array(z.unknown()).parse(resolve(select[1]))[select[0]];
    const [name = ''] = Object.keys(value);
    if (name.startsWith('Fn::')) throw new Error(`${name} is not resolved`);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  }

  function refer(id: string): string {
    const pseudo = PSEUDO_PARAMETERS[id]?.(location);
    if (pseudo !== undefined) return pseudo;
    const { type, name } = find(id);
    if (type === 'AWS::SQS::Queue') {
      return `https://sqs.${location.region}.${location.urlSuffix}/${location.account}/${name}`;
    }
    // The reference to a secret is its ARN.
    return type === 'AWS::SecretsManager::Secret' ? toResourceArn(type, id) : name;
  }

  function readAttribute(id: string, attribute: string): string {
    const { type, name } = find(id);
    if (attribute === 'Arn') return toResourceArn(type, id);
    if (attribute === 'QueueName') return name;
    if (attribute === 'AccessEntryArn') return toResourceArn(type, id);
    // A value that only a deployment knows, such as the endpoint of the cluster.
    return `<${id}.${attribute}>`;
  }

  function find(id: string): { readonly type: string; readonly name: string } {
    const resource = resources[id];
    // A parameter.
    if (!resource) return { type: 'parameter', name: `<${id}>` };
    const { Type: type, Properties } = resource;
    const given = NAMES[type] === undefined ? undefined : Properties[NAMES[type]];
    return { type, name: given === undefined ? id : String(resolve(given)) };
  }

  function toResourceArn(type: string, id: string): string {
    const { name } = find(id);
    const { partition, region, account } = location;
    const path = type === 'AWS::IAM::Role' ? String(resolve(resources[id]?.Properties.Path) ?? '/') : '';
    if (type === 'AWS::EKS::AccessEntry') return toEntryArn(id);
    const arn = ARNS[type];
    if (!arn) throw new Error(`the ARN of ${type} is not known`);
    const [service, resource, scope = 'regional'] = arn;
    const located = { regional: `${region}:${account}`, global: `:${account}`, bucket: ':' }[scope];
    return `arn:${partition}:${service}:${located}:${resource.replace('{path}', path).replace('{name}', name)}`;
  }

  /** EKS gives an entry an id of its own. */
  function toEntryArn(id: string): string {
    const { ClusterName, PrincipalArn } = entrySchema.parse(resolve(resources[id]?.Properties));
    const [kind = '', ...path] = PrincipalArn.split(':')[5]?.split('/') ?? [];
    const entry = `${ClusterName}/${kind}/${location.account}/${path.at(-1)}/0`;
    return `arn:${location.partition}:eks:${location.region}:${location.account}:access-entry/${entry}`;
  }

  return resolve;
}

const entrySchema = z.object({ ClusterName: z.string(), PrincipalArn: z.string() });

const PSEUDO_PARAMETERS: Readonly<Record<string, (location: Location) => string>> = {
  'AWS::Partition': ({ partition }) => partition,
  'AWS::Region': ({ region }) => region,
  'AWS::AccountId': ({ account }) => account,
  'AWS::URLSuffix': ({ urlSuffix }) => urlSuffix,
  'AWS::StackName': () => 'Mortise',
  'AWS::StackId': ({ partition, region, account }) =>
    `arn:${partition}:cloudformation:${region}:${account}:stack/Mortise/1a2b3c4d-0000-4000-8000-000000000000`,
};

/** The properties that name a resource. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::IAM::Role': 'RoleName',
  'AWS::Scheduler::ScheduleGroup': 'Name',
};

type Scope = 'regional' | 'global' | 'bucket';
const ARNS: Readonly<Record<string, readonly [service: string, resource: string, scope?: Scope]>> = {
  'AWS::DynamoDB::GlobalTable': ['dynamodb', 'table/{name}'],
  'AWS::DynamoDB::Table': ['dynamodb', 'table/{name}'],
  'AWS::Events::Rule': ['events', 'rule/{name}'],
  'AWS::IAM::Role': ['iam', 'role{path}{name}', 'global'],
  'AWS::Lambda::Function': ['lambda', 'function:{name}'],
  'AWS::Logs::LogGroup': ['logs', 'log-group:{name}:*'],
  'AWS::S3::Bucket': ['s3', '{name}', 'bucket'],
  'AWS::SNS::Topic': ['sns', '{name}'],
  'AWS::SQS::Queue': ['sqs', '{name}'],
  'AWS::Scheduler::ScheduleGroup': ['scheduler', 'schedule-group/{name}'],
  'AWS::SecretsManager::Secret': ['secretsmanager', 'secret:{name}-abcdef'],
};
