import type { ClusterEvent } from '../../model/explanations/events.ts';
import { EVENT_SOURCE, type PublishedKind } from '../../model/published-events/kinds.ts';
import { toPublishedEvents } from '../../model/published-events/to-published-events.ts';
import { MINUTE_MS, parseInstant } from '../../model/time.ts';

const at = parseInstant('2026-11-21T14:32:09Z');

/** The causes of the examples. */
const HAPPENED: readonly ClusterEvent[] = [
  {
    kind: 'launch',
    at,
    claim: 'general-4k7qx',
    pods: ['shop/cart-6c9f7d5b8-2xk4t', 'shop/cart-6c9f7d5b8-9wqzr'],
    cpuMilli: 1_500,
    offering: {
      instanceType: 'm7g.large',
      zone: 'eu-west-1a',
      capacityType: 'spot',
      hourlyUsd: 0.0331,
    },
  },
  {
    kind: 'interruption',
    at,
    claim: 'general-4k7qx',
    deadline: at + 2 * MINUTE_MS,
  },
  {
    kind: 'launch-refused',
    at,
    claim: 'general-8zt2m',
    reason: 'UnauthorizedOperation',
    text: 'The key of the volume may not be used',
  },
  {
    kind: 'unplaced',
    at,
    pods: ['ml/train-0'],
    text: 'gpu: at its limit of 8 nvidia.com/gpu',
  },
  {
    kind: 'capped',
    at,
    nodes: 12,
    cap: { name: 'maxNodes', limit: 200 },
    pods: ['shop/report-28391-7hfkw'],
    podCount: 1,
    claims: [],
  },
  {
    kind: 'rollout-stopped',
    at,
    nodeClass: 'general',
    claim: 'general-b5v9c',
    why: 'general-b5v9c did not register within 15 min',
  },
];

/** An example of each kind, as a target of EventBridge receives it. */
export const listEventExamples = (): ReadonlyMap<PublishedKind, object> =>
  new Map(
    HAPPENED.flatMap((event) => toPublishedEvents(event, 'shop')).map(({ kind, detail }) => [
      kind,
      {
        version: '0',
        id: '17793124-05d4-b198-2fde-7ededc63b103',
        'detail-type': kind,
        source: EVENT_SOURCE,
        account: '123456789012',
        time: detail.at,
        region: 'eu-west-1',
        resources: [],
        detail,
      },
    ]),
  );
