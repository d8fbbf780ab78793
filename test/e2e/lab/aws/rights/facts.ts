import { DescribeTagsCommand } from '@aws-sdk/client-ec2';
import { GetInstanceProfileCommand, GetRoleCommand, NoSuchEntityException } from '@aws-sdk/client-iam';
import * as z from 'zod';
import {
  type Account,
  type AwsRequest as SentRequest,
  type Tags,
  tagsSchema,
} from '../../../../support/iam/requests/request.ts';
import type { Answer } from '../../forward.ts';
import type { CloudClients } from '../cloud-clients.ts';
import { ACCOUNT, REGION } from '../emulators.ts';

/** Reads the facts that IAM looks up about the resources of a request. */
export interface AccountFacts {
  /** Reads the tags, templates, profiles and roles that the request names. */
  read(request: SentRequest): Promise<Account>;
  /** Remembers a launch template, of which the emulator forgets fields. */
  watch(request: SentRequest, answer: Answer): void;
}

interface Template {
  readonly tags: Tags;
  readonly data: unknown;
}

interface Profile {
  readonly arn: string;
  readonly roles: readonly string[];
  readonly tags: Tags;
}

const templateSchema = z.object({
  LaunchTemplateName: z.string(),
  LaunchTemplateData: z.unknown(),
  TagSpecifications: z.array(z.object({ ResourceType: z.string(), Tags: tagsSchema })).default([]),
});
const profileInData = z.object({ IamInstanceProfile: z.object({ Name: z.string() }) });

/**
 * @param key - the customer key of a resource, by its ARN
 */
export function createAccountFacts(
  { ec2, iam }: Pick<CloudClients, 'ec2' | 'iam'>,
  key: (arn: string) => string | undefined,
): AccountFacts {
  /** By name and by id. */
  const templates = new Map<string, Template>();
  const prefix = `arn:aws:iam::${ACCOUNT}:`;

  async function readTags(ids: readonly string[]): Promise<ReadonlyMap<string, Tags>> {
    if (ids.length === 0) return new Map();
    const Filters = [{ Name: 'resource-id', Values: [...ids] }];
    const { Tags: tags = [] } = await ec2.send(new DescribeTagsCommand({ Filters }));
    return new Map(
      [...Map.groupBy(tags, ({ ResourceId = '' }) => ResourceId)].map(([id, ofId]) => [id, tagsSchema.parse(ofId)]),
    );
  }

  async function readProfile(InstanceProfileName: string): Promise<Profile | undefined> {
    const { InstanceProfile: profile } =
      (await orUndefined(iam.send(new GetInstanceProfileCommand({ InstanceProfileName })))) ?? {};
    if (!profile) return undefined;
    const { Arn: arn = '', Roles = [], Tags: tags = [] } = profile;
    return { arn, roles: Roles.map((role) => role.Arn ?? ''), tags: tagsSchema.parse(tags) };
  }

  async function readRole(RoleName: string): Promise<string | undefined> {
    return (await orUndefined(iam.send(new GetRoleCommand({ RoleName }))))?.Role?.Arn;
  }

  return {
    async read({ input }) {
      const named = findNames(input);
      const template = (name: string): Template => {
        const created = templates.get(name);
        if (!created) throw new Error(`the launch template ${name} was not created through the proxy`);
        return created;
      };
      const inData = named.templates.flatMap(
        (name) => profileInData.safeParse(templates.get(name)?.data).data?.IamInstanceProfile.Name ?? [],
      );
      const [tags, profiles, roles] = await Promise.all([
        readTags(named.instances),
        readAll([...named.profiles, ...inData], readProfile),
        readAll(named.roles, readRole),
      ]);
      return {
        ...{ partition: 'aws', region: REGION, account: ACCOUNT, urlSuffix: 'amazonaws.com' },
        tagsOf(arn) {
          const [, kind = '', name = ''] = /^(?:[^:]*:){5}([^/]+)\/(.+)$/.exec(arn) ?? [];
          if (kind === 'launch-template') return template(name).tags;
          const profile = [...profiles.values()].find((one) => one.arn === arn);
          return profile?.tags ?? tags.get(name) ?? {};
        },
        templateData: (name) => template(name).data,
        profileArn: (name) => profiles.get(name)?.arn ?? `${prefix}instance-profile/${name}`,
        rolesOf: (name) => profiles.get(name)?.roles ?? [],
        roleArn: (name) => roles.get(name) ?? `${prefix}role/${name}`,
        keyOf: key,
      };
    },
    watch({ service, operation, input }, { body }) {
      if (service !== 'ec2' || operation !== 'CreateLaunchTemplate') return;
      const { LaunchTemplateName, LaunchTemplateData: data, TagSpecifications } = templateSchema.parse(input);
      const own = TagSpecifications.find(({ ResourceType }) => ResourceType === 'launch-template');
      const [, id = ''] = /<launchTemplateId>(lt-\w+)</.exec(body.toString()) ?? [];
      for (const name of [LaunchTemplateName, id]) templates.set(name, { tags: own?.Tags ?? {}, data });
    },
  };
}

interface NamedResources {
  readonly instances: readonly string[];
  readonly templates: readonly string[];
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
}

/** The fields that name resources. */
const FIELDS: Readonly<Record<string, keyof NamedResources>> = {
  InstanceIds: 'instances',
  Resources: 'instances',
  LaunchTemplateId: 'templates',
  LaunchTemplateName: 'templates',
  InstanceProfileName: 'profiles',
  RoleName: 'roles',
};

/** Finds the names of resources anywhere in an input. */
function findNames(input: unknown): NamedResources {
  const named: Record<keyof NamedResources, string[]> = {
    ...{ instances: [], templates: [], profiles: [], roles: [] },
  };
  function visit(value: unknown, field: string): void {
    if (typeof value === 'string') {
      const kind = FIELDS[field];
      if (kind) named[kind].push(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) visit(inner, Array.isArray(value) ? field : name);
  }
  visit(input, '');
  return named;
}

async function readAll<T>(
  names: readonly string[],
  read: (name: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  const entries = await Promise.all([...new Set(names)].map(async (name) => [name, await read(name)] as const));
  return new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

async function orUndefined<T>(sent: Promise<T>): Promise<T | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof NoSuchEntityException) return undefined;
    throw error;
  }
}
