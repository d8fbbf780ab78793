import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { PUBLISHED_KINDS, parsePublishedKinds } from '../../../shared/model/published-events/kinds.ts';
import { toPublishedEvents } from '../../../shared/model/published-events/to-published-events.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { anOffering, NOON } from '../../support/builders.ts';

const FACTS = { version: '1', cluster: 'shop', at: '2026-01-01T12:00:00Z' };
const at = NOON;
const claims = ['general-1'];
const offering = anOffering({ instanceType: 'm7g.large', zone: 'us-east-1a' });

/** The details without the message, which other tests cover. */
const publish = (event: ClusterEvent) =>
  toPublishedEvents(event, 'shop').map(({ kind, at: time, detail: { message, ...detail } }) => {
    expect(time).toBe(NOON);
    expect(message).not.toBe('');
    return { kind, detail };
  });

const disruption = (detail: object) => [
  { kind: 'NodeDisrupted', detail: { ...FACTS, nodeClaim: 'general-1', ...detail } },
];

describe('an event that people react to', () => {
  it('is published for a launch, with the price and the pods', () => {
    const pods = ['shop/cart-1', 'shop/cart-2'];
    const { instanceType, zone, capacityType, hourlyUsd } = offering;

    expect(publish({ kind: 'launch', at, claim: 'general-1', pods, cpuMilli: 500, offering })).toEqual([
      {
        kind: 'NodeLaunched',
        detail: {
          ...FACTS,
          nodeClaim: 'general-1',
          ...{ instanceType, zone, capacityType, hourlyUsd },
          ...{ pods, podCount: 2, replaces: [] },
        },
      },
    ]);
  });

  it('names the nodes that a launched node replaces', () => {
    const replaces = ['general-0'];
    const launch = { claim: 'general-1', pods: [], cpuMilli: 0, offering, replaces } as const;

    expect(publish({ kind: 'launch', at, ...launch })).toMatchObject([{ detail: { replaces } }]);
  });

  it.each<[string, ClusterEvent, object]>([
    ['Empty for an empty node', { kind: 'remove-empty', at, claims, savingHourlyUsd: 1 }, { reason: 'Empty' }],
    [
      'Underutilized for a node whose pods fit elsewhere',
      { kind: 'remove', at, claims, pods: 1, savingHourlyUsd: 1 },
      { reason: 'Underutilized' },
    ],
    [
      'Underutilized for a node that a cheaper one replaces',
      { kind: 'replace', at, claims, from: 'spot, $1', by: offering, savingHourlyUsd: 1 },
      { reason: 'Underutilized' },
    ],
    [
      'Drifted with what has drifted',
      { kind: 'replace-drifted', at, claims, reason: 'AMIDrift', by: [] },
      { reason: 'Drifted', cause: 'AMIDrift' },
    ],
    [
      'Interrupted with the deadline of a spot interruption',
      { kind: 'interruption', at, claim: 'general-1', deadline: at + 2 * MINUTE_MS },
      { reason: 'Interrupted', cause: 'spot_interrupted', deadline: '2026-01-01T12:02:00Z' },
    ],
    [
      'Interrupted for reserved capacity that EC2 takes back',
      { kind: 'interruption', at, claim: 'general-1', deadline: at, reserved: true },
      { reason: 'Interrupted', cause: 'capacity_reservation_interrupted', deadline: FACTS.at },
    ],
    [
      'Interrupted for a capacity block that ends',
      { kind: 'block-ends', at, claim: 'general-1', endsAt: at + MINUTE_MS },
      { reason: 'Interrupted', cause: 'capacity_block_expiring', deadline: '2026-01-01T12:01:00Z' },
    ],
    [
      'Interrupted with the check that fails',
      { kind: 'impaired', at, claim: 'general-1', cause: 'system_status' },
      { reason: 'Interrupted', cause: 'system_status' },
    ],
    ['Expired', { kind: 'expired', at, claim: 'general-1' }, { reason: 'Expired' }],
    [
      'Unhealthy with the condition of the node',
      { kind: 'repair', at, claim: 'general-1', condition: 'Ready', status: 'False', since: at },
      { reason: 'Unhealthy', cause: 'Ready' },
    ],
    [
      'Unhealthy for a Node that is missing',
      { kind: 'node-missing', at, claim: 'general-1', since: at },
      { reason: 'Unhealthy', cause: 'NodeMissing' },
    ],
    [
      'RegistrationTimeout',
      { kind: 'not-registered', at, claim: 'general-1', afterMs: 1 },
      { reason: 'RegistrationTimeout' },
    ],
  ])('gives the reason of a disruption: %s', (_, event, detail) => {
    expect(publish(event)).toEqual(disruption(detail));
  });

  it('is published for each node that a command removes', () => {
    const events = publish({
      ...{ kind: 'remove-empty', at, savingHourlyUsd: 1 },
      claims: ['general-1', 'general-2'],
    });

    expect(events.map(({ detail }) => detail)).toMatchObject([{ nodeClaim: 'general-1' }, { nodeClaim: 'general-2' }]);
  });

  it('gives the reason of EC2 for a refused launch', () => {
    const reason = 'UnauthorizedOperation';
    const event = { kind: 'launch-refused', at, claim: 'general-1', reason, text: 'no' } as const;

    expect(publish(event)).toEqual([{ kind: 'LaunchRefused', detail: { ...FACTS, nodeClaim: 'general-1', reason } }]);
  });

  it('names pods that wait because they fit no NodePool', () => {
    expect(publish({ kind: 'unplaced', at, pods: ['ml/a'], text: 'gpu: at its limit' })).toEqual([
      {
        kind: 'PodsWaiting',
        detail: { ...FACTS, reason: 'NoNodePoolFits', pods: ['ml/a'], podCount: 1 },
      },
    ]);
  });

  it('names pods that wait because kube-scheduler uses none of their nodes', () => {
    expect(
      publish({
        ...{ kind: 'pods-not-received', at, pool: 'general', claims, failures: 1 },
        ...{ pods: ['ml/a'], until: at },
      }),
    ).toEqual([
      {
        kind: 'PodsWaiting',
        detail: { ...FACTS, reason: 'NodesNotUsed', pods: ['ml/a'], podCount: 1 },
      },
    ]);
  });

  it('names pods that wait because the planner ended when it planned them', () => {
    expect(
      publish({
        ...{ kind: 'pods-set-aside', at, pods: ['ml/a'], podCount: 40 },
        ...{ failures: 1, until: at },
      }),
    ).toEqual([
      {
        kind: 'PodsWaiting',
        detail: { ...FACTS, reason: 'PlanningFailed', pods: ['ml/a'], podCount: 40 },
      },
    ]);
  });

  it('gives the cap that is reached, and counts pods that it does not name', () => {
    const cap = { name: 'maxNodes', limit: 60, peak: 20 } as const;

    expect(publish({ kind: 'capped', at, nodes: 3, cap, pods: ['a/b'], podCount: 40, claims: [] })).toEqual([
      {
        kind: 'CapReached',
        detail: {
          ...FACTS,
          ...{ cap: 'maxNodes', limit: 60, nodes: 3, pods: ['a/b'], podCount: 40 },
        },
      },
    ]);
  });

  it('names the NodeClass and the node of a rollout that is stopped', () => {
    expect(publish({ kind: 'rollout-stopped', at, nodeClass: 'default', claim: 'general-1', why: 'x' })).toEqual([
      {
        kind: 'RolloutStopped',
        detail: { ...FACTS, nodeClass: 'default', nodeClaim: 'general-1' },
      },
    ]);
  });

  it.each<ClusterEvent>([
    { kind: 'ready', at, claim: 'general-1', waitedMs: 0 },
    { kind: 'placed', at, pods: ['a/b'], targets: ['general-1'] },
    { kind: 'drifted', at, claim: 'general-1', reason: 'AMIDrift', text: 'x' },
    { kind: 'terminated', at, claim: 'general-1', livedMs: 1 },
    // EC2 reports missing capacity also for launches that succeed elsewhere.
    { kind: 'unavailable', at, claim: 'general-1', offerings: [offering], until: at },
  ])('is not published for the kind $kind', (event) => {
    expect(toPublishedEvents(event, 'shop')).toEqual([]);
  });

  it('is cut off so that ten of the largest events fit into one request', () => {
    const pods = Array.from({ length: 500 }, (_, index) => `${'n'.repeat(63)}/${'p'.repeat(250)}${index}`);
    const replaces = pods.map((name) => name.slice(0, 253));
    const launch = { claim: 'c'.repeat(253), cpuMilli: 1, offering } as const;
    const events: readonly ClusterEvent[] = [
      { kind: 'launch', at, pods, replaces, ...launch },
      { kind: 'unplaced', at, pods, text: '\u2192'.repeat(100_000) },
    ];

    for (const event of events) {
      const [published] = toPublishedEvents(event, 'shop');
      const bytes = Buffer.byteLength(JSON.stringify(published?.detail));
      expect(10 * bytes).toBeLessThan(256 * 1_024);
      expect(published?.detail).toMatchObject({ podCount: 500 });
    }
  });
});

describe('the kinds that an operator names', () => {
  it('are all kinds, or some of them', () => {
    expect(parsePublishedKinds('all')).toEqual(PUBLISHED_KINDS);
    expect(parsePublishedKinds('PodsWaiting, CapReached')).toEqual(['PodsWaiting', 'CapReached']);
  });

  it.each(['', 'podswaiting', 'PodsWaiting,', 'all,PodsWaiting'])('are not %j', (text) => {
    expect(parsePublishedKinds(text)).toBeUndefined();
  });
});
