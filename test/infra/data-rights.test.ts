import { describe, expect, it } from 'vitest';
import type { TopicsOf } from '../../shared/ports/hint-senders.ts';
import type { Hint, InterruptionNotice, WorkQueue } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';
import { allowed, rightsOf, WORKERS } from './fixture.ts';
import { sendsTo, statementsFor, template } from './rights-fixture.ts';

describe('records', () => {
  it.each(WORKERS)('are read and written by %s, and the table is never scanned', (name) => {
    expect(allowed(rightsOf(template, name), 'dynamodb:')).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
    ]);
  });

  const DECIDES = { 's3:PutObject': '/decisions/*,/parts/*' };
  const BUYS = { 's3:GetObject': '/catalogue/*' };
  const VIEWS = { 's3:GetObject': '/catalogue/*,/views/*' };
  const STORES_VIEWS = { ...VIEWS, 's3:PutObject': '/decisions/*,/parts/*,/views/*' };

  it.each([
    ['Provisioning', { ...VIEWS, ...DECIDES }],
    ['NodeLifecycle', BUYS],
    ['Disruption', STORES_VIEWS],
    ['Interruption', {}],
    ['Sweep', STORES_VIEWS],
    ['NodeClass', {}],
  ])(
    'of decisions are added by the functions that decide, never read or removed; prices and the view are read by those that need them: %s',
    (name, expected) => {
      const rights = allowed(rightsOf(template, name), 's3:').map((action) => {
        const resources = statementsFor(name, action).flatMap((statement) => statement.resources);
        return [action, resources.map((resource) => resource.replace(/^[^/]*/, '')).join()];
      });
      expect(Object.fromEntries(rights)).toEqual(expected);
    },
  );

  it('of offerings and prices are written by the catalogue refresh only', () => {
    const rights = rightsOf(template, 'CatalogRefresh');
    expect(allowed(rights, '')).toEqual([
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeReservedInstances',
      'ec2:DescribeSpotPriceHistory',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'pricing:GetProducts',
      's3:GetObject',
      's3:PutObject',
    ]);
  });
});

describe('hints', () => {
  const notice: InterruptionNotice = { kind: 'spot-interruption', providerId: 'i', at: NOON };

  it.each([
    ['Provisioning', ['Claim', 'Plan', 'Sweep']],
    ['NodeLifecycle', ['Claim', 'Class', 'Disrupt', 'Plan', 'Sweep']],
    // It shows in the EC2NodeClass that a rollout stopped.
    ['Disruption', ['Claim', 'Class', 'Disrupt', 'Plan', 'Sweep']],
    // It has nodes replaced that EC2 recommends to replace.
    ['Interruption', ['Claim', 'Disrupt', 'Interruption', 'Plan', 'Sweep']],
    ['Sweep', ['Claim', 'Disrupt', 'Plan', 'PollQueue', 'Sweep']],
    ['NodeClass', ['Class', 'Plan']],
    ['PollWorker', ['Plan', 'PollQueue']],
    ['ClusterSetup', ['Sweep']],
  ])('of %s go to %s', (name, queues) => {
    expect(sendsTo(name)).toEqual(queues);
  });

  it('may be sent by the code of a function exactly if the function has the right', () => {
    const sent: Hint[] = [];
    const all: WorkQueue = { send: async (hint) => void sent.push(hint) };
    const ofSetup: WorkQueue<TopicsOf<'clusterSetup'>> = all;
    void ofSetup.send({ topic: 'sweep' });
    // @ts-expect-error -- the types of a function's ports refuse the topics of others
    void ofSetup.send({ topic: 'interruption', notice });
    // @ts-expect-error -- and a queue for fewer topics where its code sends more
    const ofDisruption: WorkQueue<TopicsOf<'disruption'>> = ofSetup;

    expect([sent.length, ofDisruption]).toEqual([2, all]);
  });

  it.each(WORKERS)('%s receives messages from one queue', (name) => {
    expect(statementsFor(name, 'sqs:ReceiveMessage').flatMap(({ resources }) => resources)).toEqual([
      expect.stringMatching(/^<Queues\w+>$/),
    ]);
  });
});

describe('the intake', () => {
  const rights = rightsOf(template, 'EventIntake');

  it('may send hints and write its log, and nothing else', () => {
    expect(allowed(rights, '')).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents', 'sqs:SendMessage']);
  });

  it('may not send interruption notices, which are acted on without a check', () => {
    expect(sendsTo('EventIntake')).toEqual(['Claim', 'Class', 'Disrupt', 'Plan']);
  });
});
