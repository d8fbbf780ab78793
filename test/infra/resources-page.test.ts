import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aTemplate } from './fixture.ts';

const page = readFileSync('docs/operations.md', 'utf8');
const [, section = ''] = /## Resources of the stack\n([\s\S]*?)\n## /.exec(page) ?? [];
/** The first column of the table, without its header. */
const rows = section
  .split('\n')
  .flatMap((line) => /^\| (.*?) \|/.exec(line)?.[1] ?? [])
  .filter((cell) => cell !== 'Resource' && !cell.startsWith('---'));

const resources = Object.entries(
  (aTemplate({ monitoring: 'all' }).toJSON() as { Resources: Record<string, { Type: string }> }).Resources,
).map(([id, { Type: type }]) => ({ id, type }));
type Resource = (typeof resources)[number];

const ofFunction = (name: string) => `function \`${name}\``;

/** The row that a resource belongs to, by a part of its first column. */
function rowOf({ id, type }: Resource): string {
  const [, service = '', kind = ''] = type.split('::');
  if (type.startsWith('Custom::')) return ofCustomResource(service);
  switch (`${service}::${kind}`) {
    case 'DynamoDB::GlobalTable':
      return 'table `State`';
    case 'S3::Bucket':
    case 'S3::BucketPolicy':
      return 'bucket `Snapshots`';
    case 'SQS::Queue':
    case 'SQS::QueuePolicy':
      return `\`${/^(?:Queues)?(Plan|Disrupt|Claim|Class|Sweep|Interruption|Poll)/.exec(id)?.[1]?.toLowerCase() ?? id}\``;
    case 'Lambda::Url':
    case 'Lambda::Permission':
    case 'SecretsManager::Secret':
      return `${ofFunction('EventIntake')} with its URL and secret`;
    case 'Lambda::Function':
      return id.startsWith('AWS679f53')
        ? 'function of `ClusterFacts` (`AWS679f53…`)'
        : ofFunction(id.slice(0, id.indexOf('Function')).replace('PollWorker', 'Poll'));
    case 'Events::Rule':
      return `${ofFunction('Interruption')} with EventBridge rules`;
    case 'Logs::LogGroup':
      return 'a log group';
    case 'Lambda::EventSourceMapping':
      return 'the mapping of its queue';
    case 'Scheduler::Schedule':
    case 'Scheduler::ScheduleGroup':
      return 'in four groups';
    case 'IAM::Role':
      if (id.startsWith('NodeRole')) return 'role `MortiseNode-<cluster>-…`';
      return /Hourly|Repair|Keep|Schedules/.test(id) ? 'with their roles' : 'a role';
    case 'IAM::Policy':
      return 'with its policies';
    case 'EKS::AccessEntry':
      return id.startsWith('NodeRole') ? 'with its access entry' : 'access entries of the functions';
    case 'CloudWatch::Alarm':
      return 'alarms';
    case 'CloudWatch::Dashboard':
      return 'a dashboard';
    case 'Logs::MetricFilter':
      return 'metric filters';
    case 'Logs::QueryDefinition':
      return 'saved queries';
    default:
      return `a row for ${type} ${id}`;
  }
}

const ofCustomResource = (name: string): string =>
  name === 'AWS' ? '`ClusterFacts`' : ofFunction(name.replace('Mortise', ''));

const findRow = (resource: Resource): string | undefined => {
  const part = rowOf(resource);
  return rows.find((row) => row.includes(part));
};

describe('the table of all resources in docs/operations.md', () => {
  it('has a row for each resource of the template', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(resources.filter((resource) => findRow(resource) === undefined).map(rowOf)).toEqual([]);
  });

  it('has no row without a resource', () => {
    const used = new Set(resources.map(findRow));
    expect(rows.filter((row) => !used.has(row))).toEqual([]);
  });

  it('names each schedule, and the number of their groups', () => {
    const groups = resources.filter(({ type }) => type === 'AWS::Scheduler::ScheduleGroup');
    expect(groups).toHaveLength(4);
    const row = rows.find((one) => one.startsWith('schedules')) ?? '';
    const schedules = resources
      .filter(({ type }) => type === 'AWS::Scheduler::Schedule')
      .map(({ id }) => id.replace(/^Schedules|(?:Hourly|Repair|Keep)Schedule/g, '').slice(0, -8));
    expect(schedules.filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
    expect(row.match(/`\w+`/g)).toHaveLength(schedules.length);
  });
});
