import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { METRICS } from '../../shared/model/metrics/metrics.ts';
import { ALARMS } from '../e2e/cost-model.ts';
import { aTemplate, propertiesIn, QUEUES } from './fixture.ts';

const template = aTemplate();
const propertiesOf = (type: string, from = template) => propertiesIn(from, type);

describe('alarms', () => {
  const names = [...propertiesOf('AWS::CloudWatch::Alarm').keys()].map((id) => id.slice(6));

  it('ring for pods that wait, given-up hints, failures, slow hooks, silence, and what needs a person', () => {
    const functions = ['eventIntake', 'provisioning', 'nodeLifecycle', 'disruption', 'sweep'];
    const others = ['interruption', 'nodeClass', 'catalogRefresh', 'poll', 'clusterSetup'];
    expect(names.toSorted()).toEqual(
      [
        ...[...QUEUES, 'Poll'].map((name) => `${name.toLowerCase()}DeadLetters`),
        ...['planAge', 'interruptionAge', 'SweepMissing', 'ClusterUnreadable'],
        ...['PodsWait', 'NodesDoNotStart', 'LaunchesFail', 'TurnsFail', 'Capped'],
        ...['HooksWithdrawn', 'HooksAreSlow', 'StandBy', 'Unexplained'],
        ...[...functions, ...others].flatMap((name) => [`${name}Errors`, `${name}Throttles`]),
      ].toSorted(),
    );
  });

  it('are as many as docs/cost.md reckons with', () => {
    expect(names).toHaveLength(ALARMS);
    expect(readFileSync('docs/cost.md', 'utf8')).toContain(`${ALARMS} alarms`);
  });

  it('are explained in the manual, each', () => {
    const manual = readFileSync('docs/operations.md', 'utf8');
    const families = [/DeadLetters$/, /Errors$/, /Throttles$/];
    const own = names.filter((name) => !families.some((family) => family.test(name)));
    expect(own.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });

  it('take three minutes without a sweep for a fault, not without messages for who sweeps', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Mortise',
      MetricName: 'mortise_sweeps_total',
      Dimensions: [
        { Name: 'cluster', Value: 'demo' },
        { Name: 'service', Value: 'mortise' },
      ],
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 3,
      Period: 60,
      TreatMissingData: 'breaching',
    });
  });

  it('go to the topic of the options, all of them', () => {
    const topic = 'arn:aws:sns:us-east-1:123456789012:alarms';
    const alarms = [
      ...propertiesOf('AWS::CloudWatch::Alarm', aTemplate({ alarmTopicArn: topic })).values(),
    ];
    expect(
      alarms.filter(({ AlarmActions }) => JSON.stringify(AlarmActions) !== `["${topic}"]`),
    ).toEqual([]);
  });

  it('stand beside one dashboard', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });

  it('and dashboard go by figures that the functions send to CloudWatch', () => {
    const written = JSON.stringify(template.toJSON());
    const named = new Set(written.match(/\b(karpenter|mortise)_[a-z_]+\b/g));
    const sent = Object.entries(METRICS).flatMap(([name, { cloudWatch }]) =>
      cloudWatch === 'none' ? [] : [name],
    );
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !sent.includes(name))).toEqual([]);
  });

  it('go by events that there are', () => {
    const lines = propertiesOf('AWS::Logs::MetricFilter').values();
    const kinds = [...lines].map(({ FilterPattern }) => String(FilterPattern).match(/"(.+)"/)?.[1]);
    const known: readonly ClusterEvent['kind'][] = ['stand-by', 'unexplained', 'capped'];
    expect(kinds.toSorted()).toEqual(known.toSorted());
  });
});

describe('saved queries', () => {
  it('lie together under the name of the cluster, and read every log', () => {
    const queries = [...propertiesOf('AWS::Logs::QueryDefinition').values()];
    const logs = Object.keys(template.findResources('AWS::Logs::LogGroup')).length;
    expect(queries.length).toBeGreaterThan(5);
    for (const { Name, LogGroupNames } of queries) {
      expect(Name).toMatch(/^Mortise\/demo\/[A-Z]/);
      expect(LogGroupNames).toHaveLength(logs);
    }
  });
});
