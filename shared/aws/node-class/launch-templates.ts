import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  type EC2Client,
  EC2ServiceException,
  type Filter,
  type LaunchTemplate,
  paginateDescribeLaunchTemplates,
} from '@aws-sdk/client-ec2';
import {
  computeTemplateName,
  TEMPLATE_PREFIX,
  type TemplateContent,
} from '../../ec2/node-class/launch-template/template-content.ts';
import { NODECLASS_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { TemplateUses } from '../dynamodb/template-uses.ts';
import { CLUSTER_TAG } from '../ec2/launch/fleet-request.ts';
import { toTags, toTemplateData } from './template-data.ts';

/**
 * Launches finish within this time, and the next launch with the same content reuses the template.
 */
const KEPT_AFTER_USE_MS = 60 * MINUTE_MS;
/**
 * How long a process assumes that a template exists. Shorter than the time above, so that no such
 * template is deleted.
 */
const TRUSTED_FOR_MS = 10 * MINUTE_MS;

export interface LaunchTemplates {
  /**
   * Creates the template if it does not exist.
   *
   * @returns its name
   */
  ensure(content: TemplateContent): Promise<string>;
  /** EC2 reported that one of the templates does not exist. */
  forget(names: readonly string[]): void;
}

interface LaunchTemplateDependencies {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly uses: TemplateUses;
}

/**
 * Creates one template per content. Its use is recorded after it exists, so a recorded use means
 * that the template exists and EC2 need not be asked.
 */
export function createLaunchTemplates(
  { ec2, clock, uses }: LaunchTemplateDependencies,
  { region }: { readonly region: string },
): LaunchTemplates {
  const trustedUntil = new Map<string, EpochMs>();
  const missingNames = new Set<string>();
  const pending = new Map<string, Promise<void>>();

  async function ensure(name: string, content: TemplateContent): Promise<void> {
    const now = clock.now();
    const until = missingNames.has(name) ? undefined : await uses.until(name, now);
    if (until === undefined) await findOrCreate(ec2, region, name, content);
    if (until === undefined || until - now < KEPT_AFTER_USE_MS - TRUSTED_FOR_MS) {
      await uses.add(name, now + KEPT_AFTER_USE_MS);
    }
    missingNames.delete(name);
    trustedUntil.set(name, now + TRUSTED_FOR_MS);
  }

  return {
    async ensure(content) {
      const name = computeTemplateName(content);
      if ((trustedUntil.get(name) ?? 0) > clock.now()) return name;
      // A plan launches many claims at once, and most of them use the same template.
      const ensuring = getOrCreate(pending, name, () => ensure(name, content));
      try {
        await ensuring;
      } finally {
        pending.delete(name);
      }
      return name;
    },
    forget(names) {
      for (const name of names) {
        trustedUntil.delete(name);
        missingNames.add(name);
      }
    },
  };
}

async function findOrCreate(ec2: EC2Client, region: string, name: string, content: TemplateContent): Promise<void> {
  if (await templateExists(ec2, name)) return;
  await ignoreError('InvalidLaunchTemplateName.AlreadyExistsException', () =>
    ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: name,
        LaunchTemplateData: toTemplateData(content, region),
        TagSpecifications: [{ ResourceType: 'launch-template', Tags: toTags(content.tags) }],
      }),
    ),
  );
}

async function templateExists(ec2: EC2Client, name: string): Promise<boolean> {
  const answer = await ignoreError('InvalidLaunchTemplateName.NotFoundException', () =>
    ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] })),
  );
  return (answer?.LaunchTemplates ?? []).length > 0;
}

/** Deletes all templates of a class. It is no error if there is none. */
export async function removeTemplatesOf(ec2: EC2Client, cluster: string, nodeClass: string): Promise<void> {
  const ofClass = { Name: `tag:${NODECLASS_LABEL}`, Values: [nodeClass] };
  await removeAll(ec2, await listTemplates(ec2, [toClusterFilter(cluster), ofClass]));
}

/** Deletes the cluster's templates that are neither in use nor new. */
export async function removeUnusedTemplates(
  ec2: EC2Client,
  cluster: string,
  inUse: ReadonlySet<string>,
  now: EpochMs,
): Promise<void> {
  const isUnused = ({ LaunchTemplateName: name = '', CreateTime }: LaunchTemplate): boolean =>
    !inUse.has(name) && (CreateTime?.getTime() ?? now) < now - KEPT_AFTER_USE_MS;
  await removeAll(ec2, (await listClusterTemplates(ec2, cluster)).filter(isUnused));
}

/** Deletes all templates of the cluster, whatever their age and use. */
export async function removeClusterTemplates(ec2: EC2Client, cluster: string): Promise<void> {
  await removeAll(ec2, await listClusterTemplates(ec2, cluster));
}

/** Lists the templates that Mortise has created for the cluster. */
async function listClusterTemplates(ec2: EC2Client, cluster: string): Promise<readonly LaunchTemplate[]> {
  const templates = await listTemplates(ec2, [toClusterFilter(cluster)]);
  return templates.filter(({ LaunchTemplateName: name = '' }) => name.startsWith(TEMPLATE_PREFIX));
}

const toClusterFilter = (cluster: string): Filter => ({
  Name: `tag:${CLUSTER_TAG}`,
  Values: [cluster],
});

async function listTemplates(ec2: EC2Client, Filters: Filter[]): Promise<readonly LaunchTemplate[]> {
  const templates: LaunchTemplate[] = [];
  const pages = paginateDescribeLaunchTemplates({ client: ec2, pageSize: 200 }, { Filters });
  for await (const { LaunchTemplates = [] } of pages) templates.push(...LaunchTemplates);
  return templates;
}

async function removeAll(ec2: EC2Client, templates: readonly LaunchTemplate[]): Promise<void> {
  for (const { LaunchTemplateId } of templates) {
    await ignoreError('InvalidLaunchTemplateId.NotFound', () =>
      ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId })),
    );
  }
}

/** Returns undefined if EC2 answers with this error code. */
async function ignoreError<T>(code: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof EC2ServiceException && error.name === code) return undefined;
    throw error;
  }
}
