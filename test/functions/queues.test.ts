import { describe, expect, it } from 'vitest';
import { isForLifecycle } from '../../functions/node-lifecycle/is-for-lifecycle.ts';
import { sendOnOrSweep } from '../../functions/sweep/send-on-or-sweep.ts';
import type { Hint, InterruptionNotice } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';
import { aQueue, aRecord } from './fixture.ts';

describe('the sweep queue', () => {
  async function work(body: string) {
    const queue = aQueue();
    const counted: string[] = [];
    let sweeps = 0;
    const sweep = async () => {
      sweeps += 1;
    };
    const telemetry = { count: (name: string) => void counted.push(name) };
    await sendOnOrSweep({ clock: { now: () => NOON }, queue, telemetry }, sweep)(aRecord(body));
    return { sweeps, counted, sent: queue.sent };
  }

  it('sweeps on a tick of the schedule', async () => {
    expect(await work('{"topic":"sweep","tick":"e-1"}')).toEqual({
      sweeps: 1,
      counted: ['mortise_sweeps_total'],
      sent: [],
    });
  });

  it.each(['plan', 'disrupt'])('sends on a delayed wake-up, which is no sweep: %s', async (topic) => {
    expect(await work(JSON.stringify({ topic }))).toEqual({
      sweeps: 0,
      counted: [],
      sent: [{ hint: { topic } }],
    });
  });

  it.each(['', '{}', '{"topic":"nap"}'])('acknowledges what cannot be parsed: "%s"', async (body) => {
    expect(await work(body)).toEqual({ sweeps: 0, counted: [], sent: [] });
  });
});

describe('the claim queue', () => {
  const notice = (kind: InterruptionNotice['kind']): Hint => ({
    topic: 'interruption',
    notice: { kind, providerId: 'aws:////i-1', at: NOON },
  });

  it('accepts claims, and Nodes whose claim is still unknown', () => {
    expect(isForLifecycle({ topic: 'claim', claim: 'general-1' })).toBe(true);
    expect(isForLifecycle(notice('state-change'))).toBe(true);
  });

  it('ignores interruptions: the public intake may write to this queue', () => {
    expect(isForLifecycle(notice('spot-interruption'))).toBe(false);
    expect(isForLifecycle(notice('scheduled-change'))).toBe(false);
    expect(isForLifecycle({ topic: 'plan' })).toBe(false);
  });
});
