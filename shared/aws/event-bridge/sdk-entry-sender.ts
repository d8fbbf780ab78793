import { EventBridgeClient, type EventBridgeClientConfig, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { SendEntries } from './event-bridge-publisher.ts';

/** A file of its own, so that the client is loaded only by a process that publishes. */
export function sdkEntrySender(config: EventBridgeClientConfig): SendEntries {
  const client = new EventBridgeClient(config);
  return async (entries) => {
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [...entries] }));
    return Entries;
  };
}
