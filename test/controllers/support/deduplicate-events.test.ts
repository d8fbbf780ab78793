import { describe, expect, it } from 'vitest';
import { deduplicateEvents } from '../../../shared/controllers/support/deduplicate-events.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { anOffering, NOON } from '../../support/builders.ts';

function aDeduplicatedLog() {
  const reported: ClusterEvent[] = [];
  const decisionLog = deduplicateEvents({
    recordDecision: async () => {},
    recordConfirmation: async () => {},
    recordEvent: async (event) => {
      reported.push(event);
    },
  });
  return { reported, decisionLog };
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
    const { reported, decisionLog } = aDeduplicatedLog();
    await decisionLog.recordEvent(unplaced(['ml/a', 'ml/b']));
    await decisionLog.recordEvent(unplaced(['ml/b', 'ml/a']));

    expect(reported).toEqual([unplaced(['ml/a', 'ml/b'])]);
  });

  it('passes on pods that are new to a reason', async () => {
    const { reported, decisionLog } = aDeduplicatedLog();
    await decisionLog.recordEvent(unplaced(['ml/a']));
    await decisionLog.recordEvent(unplaced(['ml/a', 'ml/b']));

    expect(reported.at(-1)).toEqual(unplaced(['ml/b']));
  });

  it('passes on a changed reason, and its change back', async () => {
    const { reported, decisionLog } = aDeduplicatedLog();
    const steps = [unplaced(['ml/a'], 'no capacity'), placed(['ml/a']), unplaced(['ml/a'], 'no capacity')];
    for (const event of steps) await decisionLog.recordEvent(event);

    expect(reported).toEqual(steps);
  });

  it('drops pods that wait for the node that was launched for them', async () => {
    const { reported, decisionLog } = aDeduplicatedLog();
    const launch: ClusterEvent = {
      kind: 'launch',
      at: NOON,
      claim: 'general-1',
      pods: ['shop/a'],
      cpuMilli: 1000,
      offering: anOffering(),
    };
    await decisionLog.recordEvent(launch);
    await decisionLog.recordEvent(placed(['shop/a', 'shop/b']));

    expect(reported).toEqual([launch, placed(['shop/b'])]);
  });

  it('passes on everything else', async () => {
    const { reported, decisionLog } = aDeduplicatedLog();
    const event: ClusterEvent = { kind: 'expired', at: NOON, claim: 'general-1' };
    await decisionLog.recordEvent(event);
    await decisionLog.recordEvent(event);

    expect(reported).toEqual([event, event]);
  });
});
