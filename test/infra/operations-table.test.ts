import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTemplate } from './fixture.ts';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const [, SECTION = ''] = PAGE.split('## Resources of the stack');
const ROWS = (SECTION.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!Resource|---)/.test(line))
  .map((line) => line.split(' | '));
const FIRST_COLUMN = ROWS.map(([name = '']) => name).join('\n');

/** The words of the table for each type of a resource; resources that belong to another one have its row. */
const WORDS: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'alarms',
  'AWS::CloudWatch::CompositeAlarm': 'alarms',
  'AWS::CloudWatch::Dashboard': 'dashboard',
  'AWS::DynamoDB::GlobalTable': 'table `State`',
  'AWS::EKS::AccessEntry': 'access entries of the functions',
  'AWS::Events::Rule': 'EventBridge rules',
  'AWS::IAM::Policy': 'a role and a log group',
  'AWS::IAM::Role': 'a role and a log group',
  'AWS::Lambda::EventSourceMapping': 'queues',
  'AWS::Lambda::Function': 'function `',
  'AWS::Lambda::Permission': 'function `',
  'AWS::Lambda::Url': 'with its URL',
  'AWS::Logs::LogGroup': 'a role and a log group',
  'AWS::Logs::MetricFilter': 'metric filters',
  'AWS::Logs::QueryDefinition': 'saved queries',
  'AWS::S3::Bucket': 'bucket `Snapshots`',
  'AWS::S3::BucketPolicy': 'bucket `Snapshots`',
  'AWS::SQS::Queue': 'queues',
  'AWS::SQS::QueuePolicy': 'queues',
  'AWS::Scheduler::Schedule': 'schedules',
  'AWS::Scheduler::ScheduleGroup': 'schedules',
  'AWS::SecretsManager::Secret': 'its secret',
  'Custom::AWS': '`ClusterFacts`',
  'Custom::MortiseClusterSetup': '`ClusterSetup`',
  'Custom::MortiseDeployCheck': '`DeployCheck`',
};

const RESOURCES = z
  .object({
    Resources: z.record(
      z.string(),
      z.object({ Type: z.string(), DeletionPolicy: z.string().optional() }),
    ),
  })
  .transform(({ Resources }) => Object.entries(Resources))
  .parse(aTemplate().toJSON());

const idsOf = (type: string): readonly string[] =>
  RESOURCES.filter(([, { Type }]) => Type === type).map(([id]) => id);

/** The names of the rows that begin with a word; what follows `unless` are options. */
const namesIn = (word: string): readonly string[] =>
  ROWS.filter(([cell = '']) => cell.startsWith(`| ${word} `)).flatMap(([cell = '']) =>
    [...cell.replace(/, unless .*/, '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );

describe('The table of the resources', () => {
  it('has every type of the template', () => {
    const types = [...new Set(RESOURCES.map(([, { Type }]) => Type))];
    const missing = types.filter(
      (type) => !FIRST_COLUMN.includes(WORDS[type] ?? `no word: ${type}`),
    );

    expect(missing).toEqual([]);
  });

  it('has every function and every queue of the template, and no other', () => {
    const functions = idsOf('AWS::Lambda::Function').map((id) =>
      id.startsWith('AWS') ? 'ClusterFacts' : id.replace(/(?:Worker)?Function\w{8}$/, ''),
    );
    const queues = idsOf('AWS::SQS::Queue')
      .filter((id) => !id.includes('DeadLetters'))
      .map((id) =>
        id
          .replace(/^Queues|Queue(?=\w{8}$)/g, '')
          .slice(0, -8)
          .toLowerCase(),
      );

    const documented = namesIn('function').filter((name) => name !== 'AWS');
    expect(documented.toSorted()).toEqual(functions.toSorted());
    expect(namesIn('queues').toSorted()).toEqual(queues.toSorted());
  });

  it('names what stays when the stack is deleted', () => {
    // `ClusterSetup` deletes the role and its access entry if no node uses them; that row says so.
    const kept = RESOURCES.filter(
      ([id, { DeletionPolicy }]) =>
        /^Retain/.test(DeletionPolicy ?? '') && !/^NodeRole(?:Entry)?\w{8}$/.test(id),
    );
    const staying = ROWS.filter(([, , fate = '']) => fate.startsWith('stays')).map(
      ([name = '']) => name,
    );

    expect(kept.map(([, { Type }]) => WORDS[Type] ?? Type).toSorted()).toEqual(
      staying.map((name) => name.replace('| ', '')).toSorted(),
    );
  });
});
