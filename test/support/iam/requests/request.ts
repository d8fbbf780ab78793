import * as z from 'zod';
import type { RequestContext } from '../conditions.ts';
import type { Check } from '../evaluate.ts';

/** A request to AWS, in the SDK's names, from an SDK client or a signed HTTP request. */
export interface AwsRequest {
  /** As in the signature's scope: `ec2`, `monitoring`. */
  readonly service: string;
  readonly operation: string;
  readonly input: unknown;
}

export type Tags = Readonly<Record<string, string>>;

/** Facts that IAM looks up, because they are not in the request. */
export interface Account {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  /** The domain of the partition's services: `amazonaws.com`. */
  readonly urlSuffix: string;
  /** The tags of an existing resource. */
  tagsOf(arn: string): Tags;
  /** The content of a launch template, in the SDK's names. */
  templateData(idOrName: string): unknown;
  /** The ARN of an instance profile, by its name. */
  profileArn(name: string): string;
  /** The ARNs of the roles that instances with the profile get. */
  rolesOf(profile: string): readonly string[];
  /** The ARN of a role, by its name: it may have a path. */
  roleArn(name: string): string;
  /** The ARN of the customer key that encrypts a resource; `undefined` for a key of AWS. */
  keyOf(arn: string): string | undefined;
  /** The ARN of the customer key with which EC2 encrypts volumes that name none. */
  readonly volumeKey?: string;
}

export type Operation = (input: unknown, account: Account) => readonly Check[];

/** The questions that a service's requests raise, by operation. */
export interface ServiceRequests {
  /** The service's prefix in actions. */
  readonly prefix: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Reads the fields that matter for the permissions; others are ignored. */
export const operation =
  <T>(schema: z.ZodType<T>, toChecks: (input: T, account: Account) => readonly Check[]): Operation =>
  (input, account) =>
    toChecks(schema.parse(input), account);

/** An operation that supports no resource: its action is allowed on `*` or not at all. */
export const onAnything =
  (action: string): Operation =>
  (_, account) => [ask(account, action, '*')];

export const ask = (account: Account, action: string, resource: string, context: RequestContext = {}): Check => ({
  action,
  resource,
  context: {
    'aws:RequestedRegion': account.region,
    // The resources of our requests belong to the account or to AWS.
    'aws:ResourceAccount': account.account,
    'aws:SecureTransport': 'true',
    ...context,
  },
});

export const toArn = (
  { partition, region, account }: Account,
  service: string,
  resource: string,
  over: { readonly region?: string; readonly account?: string } = {},
): string => `arn:${partition}:${service}:${over.region ?? region}:${over.account ?? account}:${resource}`;

export const tagsSchema = z
  .array(z.object({ Key: z.string(), Value: z.string().default('') }))
  .default([])
  .transform((tags) => Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])));

/** @see docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html */
export const requestTags = (tags: Tags): RequestContext => ({
  ...prefixed('aws:RequestTag/', tags),
  'aws:TagKeys': Object.keys(tags),
});

export const resourceTags = (account: Account, arn: string): RequestContext =>
  prefixed('aws:ResourceTag/', account.tagsOf(arn));

const prefixed = (prefix: string, tags: Tags): RequestContext =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`${prefix}${key}`, value]));

/** The use of the resource's key by a service for the caller; nothing for a key of AWS. */
export function askKey(
  account: Account,
  service: string,
  arn: string,
  ...actions: readonly string[]
): readonly Check[] {
  const key = account.keyOf(arn);
  if (key === undefined) return [];
  const context = {
    'kms:ViaService': `${service}.${account.region}.${account.urlSuffix}`,
    'kms:GrantIsForAWSResource': 'true',
  };
  return actions.map((action) => ask(account, `kms:${action}`, key, context));
}
