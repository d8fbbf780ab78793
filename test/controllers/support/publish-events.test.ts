import { describe, expect, it } from 'vitest';
import { publishEvents, QUIET_MS } from '../../../shared/controllers/support/publish-events.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { PUBLISHED_KINDS, type PublishedKind } from '../../../shared/model/published-events/kinds.ts';
import type { PublishedEvent } from '../../../shared/model/published-events/published-event.ts';
import { NOON } from '../../support/builders.ts';

function aPublishingLog({ kinds = PUBLISHED_KINDS }: { kinds?: readonly PublishedKind[] } = {}) {
  const recorded: ClusterEvent[] = [];
  const published: PublishedEvent[] = [];
  const flushed: string[] = [];
  const decisionLog = publishEvents(
    {
      publish: (events) => void published.push(...events),
      flush: async () => void flushed.push('events'),
    },
    { cluster: 'shop', kinds },
    {
      recordDecision: async () => {},
      recordConfirmation: async () => {},
      recordEvent: async (event) => void recorded.push(event),
      flush: async () => void flushed.push('log'),
    },
  );
  return { recorded, published, flushed, decisionLog };
}

const unplaced = (pods: readonly string[], text = 'at its limit', at = NOON): ClusterEvent => ({
  kind: 'unplaced',
  at,
  pods,
  text,
});
const expired = (at = NOON): ClusterEvent => ({ kind: 'expired', at, claim: 'general-1' });
const capped = (at: number): ClusterEvent => ({
  kind: 'capped',
  at,
  nodes: 1,
  cap: { name: 'maxNodes', limit: 20 },
  pods: ['a/b'],
  podCount: 1,
  claims: [],
});

describe('publishEvents', () => {
  it('records each event, and publishes those that people react to', async () => {
    const { recorded, published, decisionLog } = aPublishingLog();
    const ready: ClusterEvent = { kind: 'ready', at: NOON, claim: 'general-1', waitedMs: 0 };
    await decisionLog.recordEvent(ready);
    await decisionLog.recordEvent(expired());

    expect(recorded).toEqual([ready, expired()]);
    expect(published.map(({ kind }) => kind)).toEqual(['NodeDisrupted']);
  });

  it('publishes the kinds that the operator has named and no other', async () => {
    const { recorded, published, decisionLog } = aPublishingLog({ kinds: ['PodsWaiting'] });
    await decisionLog.recordEvent(expired());
    await decisionLog.recordEvent(unplaced(['ml/a']));

    expect(recorded).toHaveLength(2);
    expect(published.map(({ kind }) => kind)).toEqual(['PodsWaiting']);
  });

  it('publishes a waiting pod once, even if the numbers in the text change', async () => {
    const { recorded, published, decisionLog } = aPublishingLog();
    await decisionLog.recordEvent(unplaced(['ml/a'], '3 of 8 GPUs'));
    await decisionLog.recordEvent(unplaced(['ml/a'], '4 of 8 GPUs'));
    await decisionLog.recordEvent(unplaced(['ml/a', 'ml/b'], '4 of 8 GPUs'));

    expect(recorded).toHaveLength(3);
    expect(published.map(({ detail }) => detail)).toMatchObject([
      { pods: ['ml/a'], podCount: 1 },
      { pods: ['ml/b'], podCount: 1 },
    ]);
  });

  it('publishes an event about the same object again after the quiet period', async () => {
    const { published, decisionLog } = aPublishingLog();
    for (const at of [NOON, NOON + QUIET_MS - 1, NOON + QUIET_MS]) {
      await decisionLog.recordEvent(capped(at));
      await decisionLog.recordEvent(unplaced(['ml/a'], 'full', at));
      await decisionLog.recordEvent(expired(at));
    }

    const times = Map.groupBy(published, ({ kind }) => kind);
    for (const kind of ['CapReached', 'PodsWaiting', 'NodeDisrupted'] as const) {
      expect(times.get(kind)?.map(({ at }) => at)).toEqual([NOON, NOON + QUIET_MS]);
    }
  });

  it('publishes another reason for the same node at once', async () => {
    const { published, decisionLog } = aPublishingLog();
    await decisionLog.recordEvent(expired());
    await decisionLog.recordEvent({
      ...{ kind: 'interruption', at: NOON, claim: 'general-1', deadline: NOON },
    });

    expect(published.map(({ detail }) => detail)).toMatchObject([{ reason: 'Expired' }, { reason: 'Interrupted' }]);
  });

  it('waits for the events and for the log that it wraps', async () => {
    const { flushed, decisionLog } = aPublishingLog();
    await decisionLog.flush?.();

    expect(flushed.toSorted()).toEqual(['events', 'log']);
  });
});
