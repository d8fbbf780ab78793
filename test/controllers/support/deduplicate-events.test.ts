import { describe, expect, it } from 'vitest';
import { deduplicateEvents } from '../../../shared/controllers/support/deduplicate-events.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { anOffering, NOON } from '../../support/builders.ts';

function aQuietJournal() {
  const told: ClusterEvent[] = [];
  const journal = deduplicateEvents({
    recordDecision: async () => {},
    recordEvent: async (event) => {
      told.push(event);
    },
  });
  return { told, journal };
}

const unplaced = (pods: readonly string[], text = 'gpu: at its limit'): ClusterEvent => ({
  kind: 'unplaced',
  at: NOON,
  pods,
  text,
});
const placed = (pods: readonly string[]): ClusterEvent => ({
  kind: 'placed',
  at: NOON,
  pods,
  targets: ['general-1'],
});

describe('deduplicateEvents', () => {
  it('passes on once why pods stay pending', async () => {
    const { told, journal } = aQuietJournal();
    await journal.recordEvent(unplaced(['ml/a', 'ml/b']));
    await journal.recordEvent(unplaced(['ml/b', 'ml/a']));

    expect(told).toEqual([unplaced(['ml/a', 'ml/b'])]);
  });

  it('passes on pods that are new to a reason', async () => {
    const { told, journal } = aQuietJournal();
    await journal.recordEvent(unplaced(['ml/a']));
    await journal.recordEvent(unplaced(['ml/a', 'ml/b']));

    expect(told.at(-1)).toEqual(unplaced(['ml/b']));
  });

  it('passes on a changed reason, and its change back', async () => {
    const { told, journal } = aQuietJournal();
    const steps = [
      unplaced(['ml/a'], 'no capacity'),
      placed(['ml/a']),
      unplaced(['ml/a'], 'no capacity'),
    ];
    for (const event of steps) await journal.recordEvent(event);

    expect(told).toEqual(steps);
  });

  it('drops pods that wait for the node that was launched for them', async () => {
    const { told, journal } = aQuietJournal();
    const launch: ClusterEvent = {
      kind: 'launch',
      at: NOON,
      claim: 'general-1',
      pods: ['shop/a'],
      cpuMilli: 1000,
      offering: anOffering(),
    };
    await journal.recordEvent(launch);
    await journal.recordEvent(placed(['shop/a', 'shop/b']));

    expect(told).toEqual([launch, placed(['shop/b'])]);
  });

  it('passes on everything else', async () => {
    const { told, journal } = aQuietJournal();
    const event: ClusterEvent = { kind: 'expired', at: NOON, claim: 'general-1' };
    await journal.recordEvent(event);
    await journal.recordEvent(event);

    expect(told).toEqual([event, event]);
  });
});
