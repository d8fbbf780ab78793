import type { EventBridgeClientConfig } from '@aws-sdk/client-eventbridge';
import { eventBridgePublisher } from '../aws/event-bridge/event-bridge-publisher.ts';
import type { Log } from '../aws/log.ts';
import { publishEvents } from '../controllers/support/publish-events.ts';
import type { PublishedKind } from '../model/published-events/kinds.ts';
import type { DecisionLog } from '../ports/decision-log.ts';

/** Which events are published, and where. */
export interface EventSettings {
  /** Empty: nothing is published. */
  readonly kinds: readonly PublishedKind[];
  readonly bus: string;
}

interface PublishedEventsParts extends EventSettings {
  readonly cluster: string;
  readonly client: EventBridgeClientConfig;
  readonly log: Log;
}

/** Publishes the events of a decision log on EventBridge; returns the log itself if no kind is set. */
export function withPublishedEvents(
  { kinds, bus, cluster, client, log }: PublishedEventsParts,
  decisionLog: DecisionLog,
): DecisionLog {
  if (kinds.length === 0) return decisionLog;
  const connect = async () => {
    const { sdkEntrySender } = await import('../aws/event-bridge/sdk-entry-sender.ts');
    return sdkEntrySender(client);
  };
  return publishEvents(eventBridgePublisher({ connect, bus, log }), { cluster, kinds }, decisionLog);
}
