import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { ALARM_METRICS } from '../../shared/model/metrics/alarm-metrics.ts';
import { METRICS } from '../../shared/model/metrics/metrics.ts';
import { ALARMS, METRICS_OF_ALARMS } from '../e2e/cost-model.ts';
import { aTemplate, propertiesIn, QUEUES } from './fixture.ts';

const template = aTemplate({ monitoring: 'all' });
const propertiesOf = (type: string, from = template) => propertiesIn(from, type);

describe('alarms', () => {
  const names = [...propertiesOf('AWS::CloudWatch::Alarm').keys()].map((id) => id.slice(6));

  it('exist for pending pods, dead letters, failures, slow hooks, a missing sweep, and events that need a person', () => {
    const functions = ['eventIntake', 'provisioning', 'nodeLifecycle', 'disruption', 'sweep'];
    const others = ['interruption', 'nodeClass', 'poll'];
    const hourly = ['clusterSetup', 'webhookControl', 'catalogRefresh'];
    expect(names.toSorted()).toEqual(
      [
        ...[...QUEUES, 'Poll'].map((name) => `${name.toLowerCase()}DeadLetters`),
        ...['planAge', 'interruptionAge', 'SweepMissing', 'ClusterUnreadable'],
        ...[
          'PodsWait',
          'DrainsStuck',
          'RowsUnreadable',
          'EventsDropped',
          'NodesDoNotStart',
          'LaunchesFail',
          'TurnsFail',
          'Capped',
          'PodsNotReceived',
          'SetAside',
        ],
        ...['FunctionsSlow', 'SizeTooSmall'],
        ...['HooksWithdrawn', 'HooksAreSlow', 'StandBy', 'Unexplained', 'ClusterDeleted'],
        ...['CallsRejected', 'IntakeFlooded'],
        ...[...functions, ...others, ...hourly].map((name) => `${name}Errors`),
        ...[...functions, ...others].map((name) => `${name}Throttles`),
      ].toSorted(),
    );
  });

  it('are as many as docs/cost.md assumes', () => {
    expect(names).toHaveLength(ALARMS);
    const watched = [...propertiesOf('AWS::CloudWatch::Alarm').values()].map(({ Metrics }) =>
      Metrics === undefined ? 1 : (JSON.stringify(Metrics).match(/"MetricStat"/g)?.length ?? 0),
    );
    expect(watched.reduce((sum, count) => sum + count, 0)).toBe(METRICS_OF_ALARMS);
  });

  it('are each explained in docs/operations.md', () => {
    const manual = readFileSync('docs/operations.md', 'utf8');
    const families = [/DeadLetters$/, /Errors$/, /Throttles$/];
    const own = names.filter((name) => !families.some((family) => family.test(name)));
    expect(own.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });

  it('name saved queries that exist, and commands that exist', () => {
    const queries = [...propertiesOf('AWS::Logs::QueryDefinition').values()].map(({ Name }) => Name);
    const texts = [...propertiesOf('AWS::CloudWatch::Alarm').values()].map(
      ({ AlarmDescription }) => `${AlarmDescription}`,
    );
    const named = texts.flatMap((text) => /Saved query: ([^.]+)/.exec(text)?.[1] ?? []);
    const commands = texts.flatMap((text) => /Ask: mortise (\w+)/.exec(text)?.[1] ?? []);

    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !queries.includes(name))).toEqual([]);
    expect(new Set(commands)).toEqual(new Set(['doctor', 'explain', 'describe']));
    expect(texts).toContainEqual(
      'A pod that a new node could serve has been waiting for 15 minutes. Saved query: Mortise/demo/Pods without a place, and why. Ask: mortise explain --pending --cluster demo',
    );
  });

  it('compare each function with its own time limit', () => {
    const { Metrics = [] } = propertiesOf('AWS::CloudWatch::Alarm').get('AlarmsFunctionsSlow') ?? {};
    const text = JSON.stringify(Metrics);
    expect(text).toContain('FILL(m0,0)/1200');
    expect(text).toContain('FILL(m4,0)/100');
    expect(text.match(/"Duration"/g)).toHaveLength(6);
  });

  it('treat three minutes without a sweep as a failure, but not a queue without messages', () => {
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

  it.each(['clusterSetup', 'webhookControl', 'catalogRefresh'])(
    'see that the second try of an hourly call fails: %s',
    (name) => {
      expect(propertiesOf('AWS::CloudWatch::Alarm').get(`Alarms${name}Errors`)).toMatchObject({
        Period: 900,
        EvaluationPeriods: 1,
        Threshold: 1,
      });
    },
  );

  it('count rejected calls where the intake has its address', () => {
    const rejectedIn = (context: Parameters<typeof aTemplate>[0]) => {
      const alarms = propertiesOf('AWS::CloudWatch::Alarm', aTemplate(context));
      return alarms.get('AlarmsCallsRejected');
    };
    expect(rejectedIn({})).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Url4xxCount' });
    expect(rejectedIn({ hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718' })).toMatchObject({
      Namespace: 'AWS/ApiGateway',
      MetricName: '4XXError',
    });
  });

  it('all notify the topic of the options', () => {
    const topic = 'arn:aws:sns:us-east-1:123456789012:alarms';
    const alarms = [...propertiesOf('AWS::CloudWatch::Alarm', aTemplate({ alarmTopicArn: topic })).values()];
    expect(alarms.filter(({ AlarmActions }) => JSON.stringify(AlarmActions) !== `["${topic}"]`)).toEqual([]);
  });

  it('and the dashboard use only metrics that the functions publish', () => {
    const written = JSON.stringify(template.toJSON());
    const named = new Set(written.match(/\b(karpenter|mortise)_[a-z_]+\b/g));
    const sent = Object.entries(METRICS).flatMap(([name, { cloudWatch }]) => (cloudWatch === 'none' ? [] : [name]));
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !sent.includes(name))).toEqual([]);
  });

  it('use only log events that exist', () => {
    const lines = propertiesOf('AWS::Logs::MetricFilter').values();
    const kinds = [...lines].flatMap(({ FilterPattern }) =>
      [...String(FilterPattern).matchAll(/"([^"]+)"/g)].map(([, kind]) => kind),
    );
    const eventKinds: readonly ClusterEvent['kind'][] = [
      'stand-by',
      'unexplained',
      'cluster-deleted',
      // The three functions that launch nodes.
      'capped',
      'capped',
      'capped',
      'pods-not-received',
      // The functions that plan pods, or removals.
      ...Array.from({ length: 3 }, () => ['pods-set-aside', 'node-set-aside', 'planning-paused'] as const).flat(),
    ];
    expect(kinds.toSorted()).toEqual(eventKinds.toSorted());
  });
});

describe('the option monitoring', () => {
  const countIn = (from: Template) =>
    ['Alarm', 'Dashboard'].map((kind) => Object.keys(from.findResources(`AWS::CloudWatch::${kind}`)).length);
  const levelOf = (from: Template) => propertiesIn(from, 'AWS::Lambda::Function').get('SweepFunction')?.Environment;

  it('is alarms by default: all alarms and no dashboard, and functions publish what alarms watch', () => {
    const usual = aTemplate();
    expect(countIn(usual)).toEqual([ALARMS, 0]);
    expect(levelOf(usual)).toMatchObject({ Variables: { MONITORING: 'alarms' } });
  });

  it('has a dashboard and all metrics with all', () => {
    expect(countIn(template)).toEqual([ALARMS, 1]);
    expect(levelOf(template)).toMatchObject({ Variables: { MONITORING: 'all' } });
  });

  it('has neither with none, nor metric filters, but the saved queries', () => {
    const silent = aTemplate({ monitoring: 'none' });
    expect(countIn(silent)).toEqual([0, 0]);
    silent.resourceCountIs('AWS::Logs::MetricFilter', 0);
    expect(propertiesIn(silent, 'AWS::Logs::QueryDefinition').size).toBeGreaterThan(5);
    expect(levelOf(silent)).toMatchObject({ Variables: { MONITORING: 'none' } });
  });

  it('knows each metric that an alarm watches, with the threshold of the alarm', () => {
    const own = [...propertiesOf('AWS::CloudWatch::Alarm').values()].filter(
      ({ Namespace, MetricName }) => Namespace === 'Mortise' && /^[a-z_]+$/.test(`${MetricName}`),
    );
    const watched = own.map(({ MetricName, ComparisonOperator, Threshold, TreatMissingData }) => [
      MetricName,
      TreatMissingData === 'breaching'
        ? { always: true }
        : { [ComparisonOperator === 'LessThanThreshold' ? 'below' : 'above']: Threshold },
    ]);
    expect(Object.fromEntries(watched)).toEqual(ALARM_METRICS);
  });

  it('lets filters of log lines publish nothing while there is no such line', () => {
    const filters = [...propertiesOf('AWS::Logs::MetricFilter').values()];
    expect(filters.length).toBeGreaterThan(0);
    expect(JSON.stringify(filters)).not.toContain('DefaultValue');
  });
});

describe('saved queries', () => {
  it("share the cluster's folder and read the log of every function", () => {
    const queries = [...propertiesOf('AWS::Logs::QueryDefinition').values()];
    // The CDK's own look-up and our check at deployment log nothing of interest.
    const logs = [...propertiesOf('AWS::Logs::LogGroup').keys()].filter(
      (id) => id.endsWith('FunctionLog') && !id.startsWith('DeployCheck'),
    ).length;
    expect(queries.length).toBeGreaterThan(5);
    for (const { Name, LogGroupNames } of queries) {
      expect(Name).toMatch(/^Mortise\/demo\/[A-Z]/);
      expect(LogGroupNames).toHaveLength(logs);
    }
  });
});
