import { describe, expect, it } from 'vitest';
import { isCurrentWakeUp, withSingleWakeUps } from '../../../shared/controllers/support/hints.ts';
import { memoryWakeUps } from '../../../shared/memory/node-claims.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint, WakeUps } from '../../../shared/ports/work-queue.ts';
import { NOON } from '../../support/builders.ts';

const HINT = { topic: 'claim', claim: 'general-1' } as const;

function aQueue() {
  const wakeUps = memoryWakeUps();
  const sent: { readonly hint: Hint; readonly at: number | undefined }[] = [];
  const time = { now: NOON };
  const clock = { now: () => time.now };
  const send = async (hint: Hint, at?: number) => void sent.push({ hint, at });
  return { sent, time, wakeUps, queue: withSingleWakeUps({ send }, wakeUps, clock) };
}

const isMeantAs = async (wakeUps: WakeUps, hint: Hint): Promise<boolean> =>
  hint.topic === 'claim' && (await isCurrentWakeUp({ wakeUps }, hint));

describe('a claim that is reconciled repeatedly', () => {
  it('has one wake-up, the earliest', async () => {
    const { queue, sent } = aQueue();

    await queue.send(HINT, NOON + 5 * SECOND_MS);
    await queue.send(HINT, NOON + 9 * SECOND_MS);
    await queue.send(HINT, NOON + 2 * SECOND_MS);

    expect(sent).toEqual([
      { hint: { ...HINT, generation: 1 }, at: NOON + 5 * SECOND_MS },
      { hint: { ...HINT, generation: 2 }, at: NOON + 2 * SECOND_MS },
    ]);
  });

  it('is woken by the last one requested, and by none before', async () => {
    const { queue, wakeUps } = aQueue();
    await queue.send(HINT, NOON + 5 * SECOND_MS);
    await queue.send(HINT, NOON + 2 * SECOND_MS);

    expect(await isCurrentWakeUp({ wakeUps }, { ...HINT, generation: 1 })).toBe(false);
    expect(await isCurrentWakeUp({ wakeUps }, { ...HINT, generation: 2 })).toBe(true);
    expect(await isCurrentWakeUp({ wakeUps }, HINT)).toBe(true);
  });

  it('stays in one chain of messages for forty hops, though a sweep joins in every minute', async () => {
    const { queue, sent, time, wakeUps } = aQueue();
    await queue.send(HINT, NOON + 5 * SECOND_MS);

    for (let hop = 1; hop <= 40; hop += 1) {
      time.now += 5 * SECOND_MS;
      const due = sent.splice(0);
      const meant = await Promise.all(due.map(async ({ hint }) => isMeantAs(wakeUps, hint)));
      expect(meant.filter(Boolean)).toHaveLength(1);
      await queue.send(HINT, time.now + 5 * SECOND_MS);
      // The sweep requests the same wake-up.
      if (hop % 12 === 0) await queue.send(HINT, time.now + 5 * SECOND_MS);
    }
  });

  it('is woken again after a lost wake-up', async () => {
    const { queue, sent, time } = aQueue();
    await queue.send(HINT, NOON + SECOND_MS);
    time.now += MINUTE_MS;

    await queue.send(HINT, time.now + SECOND_MS);

    expect(sent).toHaveLength(2);
  });

  it('is woken in time for what is hours away', async () => {
    const { queue, sent } = aQueue();
    await queue.send(HINT, NOON + HOUR_MS);
    await queue.send(HINT, NOON + 2 * HOUR_MS);

    expect(sent).toEqual([{ hint: { ...HINT, generation: 1 }, at: NOON + 15 * MINUTE_MS }]);
  });

  it('is reconciled at once for an immediate hint', async () => {
    const { queue, sent } = aQueue();
    await queue.send(HINT, NOON + 5 * SECOND_MS);
    await queue.send(HINT);
    await queue.send({ topic: 'plan' }, NOON + SECOND_MS);

    expect(sent.slice(1)).toEqual([
      { hint: HINT, at: undefined },
      { hint: { topic: 'plan' }, at: NOON + SECOND_MS },
    ]);
  });
});
