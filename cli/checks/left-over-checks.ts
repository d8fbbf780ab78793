import { paginateListTables } from '@aws-sdk/client-dynamodb';
import { paginateListAccessEntries } from '@aws-sdk/client-eks';
import { paginateListInstanceProfiles } from '@aws-sdk/client-iam';
import { paginateListBuckets } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { toClusterPath } from '../../shared/aws/node-class/instance-profiles.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { type Finding, warn } from './finding.ts';

/** A kind of resource that an earlier stack of the cluster can leave. */
interface LeftOver {
  readonly right: string;
  /** Names of what remains. */
  list(sources: CheckSources): Promise<readonly string[]>;
  judge(name: string): Finding;
}

/**
 * All resources that a deleted stack keeps, and those whose name the next stack needs. Every other
 * resource has a generated name and goes with its stack, or the stack is `DELETE_FAILED`; the sweep of the
 * next stack deletes launch templates.
 */
const LEFT_OVERS: readonly LeftOver[] = [
  {
    right: 'dynamodb:ListTables',
    async list({ dynamo, stackName }) {
      const pages = paginateListTables({ client: dynamo }, {});
      const names = await collect(pages, ({ TableNames }) => TableNames);
      return names.filter((name) => name.startsWith(`${stackName}-`));
    },
    judge: (name) =>
      warn(
        `the table ${name} of an earlier stack remains; the new one has a table of its own`,
        `aws dynamodb delete-table --table-name ${name}, unless you need its records`,
      ),
  },
  {
    right: 's3:ListAllMyBuckets',
    async list({ s3, stackName }) {
      // CloudFormation writes the names of buckets in lower case.
      const Prefix = `${stackName.toLowerCase()}-`;
      // S3 filters by prefix only in requests for pages.
      const pages = paginateListBuckets({ client: s3, pageSize: 1_000 }, { Prefix });
      const buckets = await collect(pages, ({ Buckets }) => Buckets);
      return buckets.map(({ Name = '' }) => Name).filter((name) => name.startsWith(Prefix));
    },
    judge: (name) =>
      warn(
        `the bucket ${name} of an earlier stack remains; the new one has a bucket of its own`,
        'empty and delete it, unless an audit needs its decisions; they expire',
      ),
  },
  {
    right: 'eks:ListAccessEntries',
    async list({ eks, cluster }) {
      const pages = paginateListAccessEntries({ client: eks }, { clusterName: cluster });
      const arns = await collect(pages, ({ accessEntries }) => accessEntries);
      return arns
        .map((arn) => arn.split('/').at(-1) ?? '')
        .filter((name) => name.startsWith(`MortiseNode-${cluster}-`));
    },
    judge: (name) =>
      warn(
        `the node role ${name} of an earlier stack remains with its access entry`,
        'none while nodes or an EC2NodeClass use it: the new stack has a role of its own, and lets nodes keep this one',
      ),
  },
  {
    right: 'iam:ListInstanceProfiles',
    async list({ iam, cluster, region }) {
      const PathPrefix = toClusterPath({ cluster, region });
      const pages = paginateListInstanceProfiles({ client: iam }, { PathPrefix });
      const profiles = await collect(pages, ({ InstanceProfiles }) => InstanceProfiles);
      return profiles.map(({ InstanceProfileName = '' }) => InstanceProfileName);
    },
    judge: (name) =>
      warn(
        `the instance profile ${name} of an earlier stack remains`,
        'none: the new stack uses it for the same EC2NodeClass, or deletes it an hour after its creation',
      ),
  },
  {
    right: 'scheduler:ListScheduleGroups',
    async list({ callJson, stackName }) {
      // The CDK names groups after the stack, without other characters.
      const NamePrefix = `${stackName.replaceAll(/[^A-Za-z0-9]/g, '')}-`;
      const query = new URLSearchParams({ NamePrefix });
      const answer = await callJson({ service: 'scheduler', path: `/schedule-groups?${query}` });
      return groupsSchema.parse(answer).ScheduleGroups.map(({ Name }) => Name);
    },
    judge: (name) =>
      warn(
        `the schedule group ${name} of an earlier stack remains, and the new one needs its name`,
        `aws scheduler delete-schedule-group --name ${name}, and wait until it is gone`,
      ),
  },
];

const groupsSchema = z.object({ ScheduleGroups: z.array(z.object({ Name: z.string() })) });

async function collect<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...(itemsOf(page) ?? []));
  return items;
}

/** Each kind is a check of its own, so that a missing right hides no other kind. */
export const LEFT_OVER_CHECKS: readonly AccountCheck[] = LEFT_OVERS.map(({ right, list, judge }) => ({
  ...{ group: 'stack', name: 'left-overs', stages: ['before'], rights: [right] },
  find: async (sources) => ((await sources.readStackStatus()) === undefined ? (await list(sources)).map(judge) : []),
}));
