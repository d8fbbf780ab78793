import * as z from 'zod';
import type { TestedRequest } from '../recording/recordings.ts';
import { type Account, type Tags, tagsSchema } from '../requests/request.ts';
import type { Location } from './deployed-template.ts';

const tagged = z.object({
  TagSpecifications: z.array(z.object({ ResourceType: z.string(), Tags: tagsSchema })).default([]),
});
const template = z.object({ LaunchTemplateName: z.string(), LaunchTemplateData: z.unknown() });
const profile = z.object({ InstanceProfileName: z.string(), Path: z.string(), Tags: tagsSchema });

const NONE: ReadonlyMap<string, string | undefined> = new Map();

/** The sources of what IAM knows about resources. */
export interface FactSources {
  /** The requests that created what other requests use, as sent in this location. */
  readonly requests: readonly TestedRequest[];
  readonly nodeRoles: readonly string[];
  /** The customer key of the stack's own resources. */
  readonly key?: string;
  /** The key of resources that another owner encrypts, by their names: a shared table. */
  readonly others?: ReadonlyMap<string, string | undefined>;
  readonly volumeKey?: string;
}

/**
 * The account of a location: what exists there has the tags and the content with which our requests create
 * it.
 */
export function accountFacts(location: Location, sources: FactSources): Account {
  const { requests, nodeRoles, key, others = NONE, volumeKey } = sources;
  const inputs = (operation: string): readonly unknown[] =>
    requests.filter((one) => one.operation === operation).map(({ input }) => input);
  const tagsOfKind = (operation: string, kind: string): Tags =>
    inputs(operation)
      .flatMap((input) => tagged.parse(input).TagSpecifications)
      .find(({ ResourceType }) => ResourceType === kind)?.Tags ?? {};
  const templates = inputs('CreateLaunchTemplate').map((input) => template.parse(input));
  const profiles = inputs('CreateInstanceProfile').map((input) => profile.parse(input));
  const [anyTemplate] = templates;
  const [anyProfile] = profiles;
  const tags: Readonly<Record<string, Tags>> = {
    instance: tagsOfKind('CreateFleet', 'instance'),
    'launch-template': tagsOfKind('CreateLaunchTemplate', 'launch-template'),
    'instance-profile': anyProfile?.Tags ?? {},
  };

  return {
    ...location,
    tagsOf: (arn) => tags[arn.split(':')[5]?.split('/')[0] ?? ''] ?? {},
    templateData: (name) =>
      (templates.find(({ LaunchTemplateName }) => LaunchTemplateName === name) ?? anyTemplate)?.LaunchTemplateData ??
      {},
    profileArn(name) {
      const { Path = '/' } =
        profiles.find(({ InstanceProfileName }) => InstanceProfileName === name) ?? anyProfile ?? {};
      return `arn:${location.partition}:iam::${location.account}:instance-profile${Path}${name}`;
    },
    rolesOf: () => nodeRoles,
    roleArn: (name) => nodeRoles.find((arn) => arn.endsWith(`/${name}`)) ?? `no role ${name}`,
    keyOf(arn) {
      const name = arn.split('/').at(-1) ?? '';
      return others.has(name) ? others.get(name) : key;
    },
    ...(volumeKey !== undefined && { volumeKey }),
  };
}
