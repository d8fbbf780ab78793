import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { aTemplate, propertiesIn, QUEUES, refusingPlainText } from './fixture.ts';

const template = aTemplate();
const propertiesOf = (type: string) => propertiesIn(template, type);
const queue = (name: string) => propertiesOf('AWS::SQS::Queue').get(`Queues${name}`);
const fn = (name: string) => propertiesOf('AWS::Lambda::Function').get(`${name}Function`);

describe('queues', () => {
  it.each(QUEUES)(
    '%s moves a message to its dead-letter queue after five attempts and keeps it there for two weeks',
    (name) => {
      expect(queue(name)?.RedrivePolicy).toMatchObject({ maxReceiveCount: 5 });
      expect(queue(`${name}DeadLetters`)).toMatchObject({
        MessageRetentionPeriod: 14 * 24 * 60 * 60,
        ...(name === 'Plan' || name === 'Disrupt' ? { FifoQueue: true } : {}),
      });
    },
  );

  it('are encrypted and accept TLS only', () => {
    const all = [...propertiesOf('AWS::SQS::Queue').values()];
    // One more for the poll loop, with its dead-letter queue.
    expect(all).toHaveLength(2 * (QUEUES.length + 1));
    expect(all.filter(({ SqsManagedSseEnabled }) => SqsManagedSseEnabled !== true)).toEqual([]);
    template.resourcePropertiesCountIs('AWS::SQS::QueuePolicy', refusingPlainText('sqs:*'), all.length);
  });

  it.each([
    ['Plan', 'Provisioning', 120, 150],
    ['Disrupt', 'Disruption', 300, 330],
    ['Claim', 'NodeLifecycle', 60, 360],
    ['Sweep', 'Sweep', 60, 90],
    ['Interruption', 'Interruption', 10, 20],
    ['Class', 'NodeClass', 60, 90],
  ])('%s hides a message longer than its function runs', (name, worker, timeout, visibility) => {
    expect(fn(worker)?.Timeout).toBe(timeout);
    expect(queue(name)?.VisibilityTimeout).toBe(visibility);
  });

  it('of plans and disruptions are FIFO, the others are standard', () => {
    const ordered = QUEUES.filter((name) => queue(name)?.FifoQueue === true);
    expect(ordered).toEqual(['Plan', 'Disrupt']);
  });

  it('keep wake-ups longer than SQS can delay them, and notices for at most an hour', () => {
    expect(queue('Sweep')?.MessageRetentionPeriod).toBe(60 * 60);
    expect(queue('Interruption')?.MessageRetentionPeriod).toBe(60 * 60);
  });

  it('report failed messages one by one, not the whole batch', () => {
    const mappings = [...propertiesOf('AWS::Lambda::EventSourceMapping').values()];
    // One more for the poll loop.
    expect(mappings).toHaveLength(QUEUES.length + 1);
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      // A batching window would use up time of a spot notice.
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    }
  });
});

describe('events', () => {
  it.each([
    ['aws.ec2', 'EC2 Spot Instance Interruption Warning'],
    ['aws.ec2', 'EC2 Instance Rebalance Recommendation'],
    ['aws.ec2', 'EC2 Instance State-change Notification'],
    ['aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning'],
    ['aws.health', 'AWS Health Event'],
  ])('of %s are routed to the interruption queue: %s', (source, detailType) => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: [source], 'detail-type': [detailType] }),
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesInterruption.{8}$'), 'Arn'] },
          DeadLetterConfig: Match.anyValue(),
          RetryPolicy: { MaximumEventAgeInSeconds: 600 },
        }),
      ],
    });
  });

  it('may only be sent by our EventBridge rules', () => {
    const policies = [...propertiesOf('AWS::SQS::QueuePolicy')];
    const statements = JSON.stringify(policies.find(([id]) => id === 'QueuesInterruptionPolicy')?.[1]);
    expect(statements.match(/events\.amazonaws\.com/g)).toHaveLength(5);
    expect(statements.match(/"ArnEquals":{"aws:SourceArn":{"Fn::GetAtt":\["Interrupt/g)).toHaveLength(5);
  });

  it.each(['sweep', 'disrupt'])('of the schedule arrive every minute, each with its own content: %s', (topic) => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Target: Match.objectLike({
        Input: `{"topic":"${topic}","tick":"<aws.scheduler.execution-id>"}`,
      }),
    });
  });

  it('of the schedule can only be sent from this account', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));
    const trusts = roles
      .map(({ Properties }) => JSON.stringify(Properties))
      .filter((text) => text.includes('scheduler.amazonaws.com'));
    expect(trusts).not.toEqual([]);
    for (const trust of trusts) {
      expect(trust).toContain('"aws:SourceAccount"');
      expect(trust).toContain('"aws:SourceArn"');
    }
  });
});
