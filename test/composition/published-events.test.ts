import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withPublishedEvents } from '../../shared/composition/published-events.ts';
import type { DecisionLog } from '../../shared/ports/decision-log.ts';
import { NOON } from '../support/builders.ts';

const INNER: DecisionLog = {
  recordDecision: async () => {},
  recordConfirmation: async () => {},
  recordEvent: async () => {},
};
const PARTS = { bus: 'default', cluster: 'shop', client: { region: 'us-east-1' }, log: () => {} };

describe('a decision log of a runtime', () => {
  it('stays as it is if no kind is published', () => {
    expect(withPublishedEvents({ ...PARTS, kinds: [] }, INNER)).toBe(INNER);
  });

  it('publishes the kinds that are set with the client of the SDK', async () => {
    const client = mockClient(EventBridgeClient);
    onTestFinished(() => client.restore());
    client.on(PutEventsCommand).resolves({ Entries: [] });
    const decisionLog = withPublishedEvents({ ...PARTS, kinds: ['PodsWaiting'] }, INNER);
    await decisionLog.recordEvent({ kind: 'expired', at: NOON, claim: 'general-1' });
    await decisionLog.recordEvent({ kind: 'unplaced', at: NOON, pods: ['ml/a'], text: 'full' });
    await decisionLog.flush?.();

    const entries = client.commandCalls(PutEventsCommand).flatMap(({ args: [{ input }] }) => input.Entries);
    expect(entries).toMatchObject([{ DetailType: 'PodsWaiting', EventBusName: 'default' }]);
  });
});
