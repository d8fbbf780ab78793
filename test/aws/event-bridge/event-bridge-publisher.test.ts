import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type EntryResult,
  type EventEntry,
  eventBridgePublisher,
} from '../../../shared/aws/event-bridge/event-bridge-publisher.ts';
import { sdkEntrySender } from '../../../shared/aws/event-bridge/sdk-entry-sender.ts';
import type { LogLine } from '../../../shared/aws/log.ts';
import { toPublishedEvents } from '../../../shared/model/published-events/to-published-events.ts';
import { NOON } from '../../support/builders.ts';

const someEvents = (count: number, prefix = 'general') =>
  toPublishedEvents(
    {
      ...{ kind: 'remove-empty', at: NOON, savingHourlyUsd: 0 },
      claims: Array.from({ length: count }, (_, index) => `${prefix}-${index}`),
    },
    'shop',
  );

type Send = (entries: readonly EventEntry[], call: number) => Promise<readonly EntryResult[]>;

/** @param send - the answer of EventBridge to the call of this number, from 0 */
function aPublisher(send: Send = async () => []) {
  const lines: LogLine[] = [];
  const requests: (readonly EventEntry[])[] = [];
  const connections: string[] = [];
  const publisher = eventBridgePublisher({
    connect: async () => {
      connections.push('connected');
      return (entries) => send(entries, requests.push(entries) - 1);
    },
    bus: 'platform',
    log: (line) => lines.push(line),
  });
  return { publisher, requests, lines, connections };
}

describe('the publisher on EventBridge', () => {
  it('sends the source, the kind, the detail as JSON, the time and the bus', async () => {
    const { publisher, requests } = aPublisher();
    const [event] = someEvents(1);
    publisher.publish(someEvents(1));
    await publisher.flush();

    expect(requests).toEqual([
      [
        {
          Source: 'mortise',
          DetailType: 'NodeDisrupted',
          Detail: JSON.stringify(event?.detail),
          Time: new Date(NOON),
          EventBusName: 'platform',
        },
      ],
    ]);
  });

  it('connects at the first event only, and once', async () => {
    const { publisher, connections } = aPublisher();
    publisher.publish([]);
    await publisher.flush();
    expect(connections).toEqual([]);

    publisher.publish(someEvents(11));
    await publisher.flush();
    expect(connections).toEqual(['connected']);
  });

  it('sends at most ten events in a request', async () => {
    const { publisher, requests, lines } = aPublisher();
    publisher.publish(someEvents(25));
    await publisher.flush();

    expect(requests.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(lines).toEqual([]);
  });

  it('sends events that arrive during a request together in the next one', async () => {
    const { publisher, requests } = aPublisher();
    for (let index = 0; index < 6; index += 1) publisher.publish(someEvents(1, `node${index}`));
    await publisher.flush();

    expect(requests.map(({ length }) => length)).toEqual([1, 5]);
  });

  it('sends events that come after a flush', async () => {
    const { publisher, requests } = aPublisher();
    publisher.publish(someEvents(1));
    await publisher.flush();
    publisher.publish(someEvents(1));
    await publisher.flush();

    expect(requests).toHaveLength(2);
  });

  it('logs the events that EventBridge refuses, and sends the others', async () => {
    const { publisher, lines } = aPublisher(async (entries) =>
      entries.map((_, index) => (index === 1 ? { ErrorCode: 'InternalFailure', ErrorMessage: 'try later' } : {})),
    );
    publisher.publish(someEvents(3));
    await publisher.flush();

    expect(lines).toEqual([
      {
        level: 'error',
        message: 'events not published',
        fields: {
          ...{ bus: 'platform', count: 1, kinds: ['NodeDisrupted'] },
          error: 'InternalFailure: try later',
        },
      },
    ]);
  });

  it('gives up the events that wait if a request fails, and sends later ones', async () => {
    const { publisher, requests, lines } = aPublisher(async (_, call) => {
      if (call === 0) throw new Error('no route');
      return [];
    });
    publisher.publish(someEvents(25));
    await publisher.flush();
    expect(requests).toHaveLength(1);
    expect(lines).toMatchObject([{ fields: { count: 25, error: 'Error: no route' } }]);

    publisher.publish(someEvents(2));
    await publisher.flush();
    expect(requests.map(({ length }) => length)).toEqual([10, 2]);
  });

  it('calls PutEvents by the SDK and returns its results', async () => {
    const client = mockClient(EventBridgeClient);
    onTestFinished(() => client.restore());
    client.on(PutEventsCommand).resolves({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'E' }] });
    const { publisher, lines } = aPublisher((entries) => sdkEntrySender({ region: 'us-east-1' })(entries));
    publisher.publish(someEvents(1));
    await publisher.flush();

    expect(client.commandCalls(PutEventsCommand)[0]?.args[0].input).toMatchObject({
      Entries: [{ Source: 'mortise', DetailType: 'NodeDisrupted', EventBusName: 'platform' }],
    });
    expect(lines).toMatchObject([{ message: 'events not published', fields: { count: 1 } }]);
  });
});
