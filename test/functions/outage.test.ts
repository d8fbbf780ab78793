import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sendOnOrSweep } from '../../functions/sweep/send-on-or-sweep.ts';
import { ApiThrottledError, ApiUnreachableError } from '../../shared/kubernetes/client/api-errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aRecord } from './fixture.ts';

const ACTION = { verb: 'get', resource: 'leases' } as const;
const TICK = JSON.stringify({ topic: 'sweep', tick: 'e-1' });

interface Outage {
  readonly from: number;
  readonly until: number;
}

interface Course {
  /** Times of successful sweeps. */
  readonly swept: readonly number[];
  readonly failed: number;
  /** Messages that SQS delivers, or would deliver, again. */
  readonly redelivered: number;
  /** Sweeps counted for the alarm. */
  readonly counted: number;
}

/** Runs the function with its queue and schedule; SQS delays count in whole seconds. */
async function runSweeps(
  ms: number,
  { from, until }: Outage,
  error: () => Error = () => new ApiUnreachableError(ACTION, { why: 'ECONNREFUSED' }),
): Promise<Course> {
  let now = NOON;
  const messages = Array.from({ length: Math.ceil(ms / MINUTE_MS) }, (_, tick) => ({
    at: NOON + tick * MINUTE_MS,
    body: TICK,
  }));
  const swept: number[] = [];
  let [failed, redelivered, counted] = [0, 0, 0];
  const queue = {
    send: async (hint: object, at: number = now) => {
      const delayMs = Math.ceil((at - now) / SECOND_MS) * SECOND_MS;
      messages.push({ at: now + delayMs, body: JSON.stringify(hint) });
    },
  };
  const telemetry = {
    count: (name: string) => {
      if (name === 'mortise_sweeps_total') counted += 1;
    },
  };
  const work = sendOnOrSweep({ clock: { now: () => now }, queue, telemetry }, async () => {
    const isAway = now >= NOON + from && now < NOON + until;
    if (isAway) failed += 1;
    if (isAway) throw error();
    swept.push(now - NOON);
  });
  while (messages.length > 0) {
    messages.sort((a, b) => a.at - b.at);
    const [next] = messages.splice(0, 1);
    if (!next || next.at > NOON + ms) break;
    now = next.at;
    await work(aRecord(next.body)).catch(() => {
      redelivered += 1;
    });
  }
  return { swept, failed, redelivered, counted };
}

const seconds = (from: number, to: number) => fc.integer({ min: from, max: to }).map((count) => count * SECOND_MS);

describe('an API server that was away for a minute or longer', () => {
  it('is swept within ten seconds after its return, whenever that is', async () => {
    await fc.assert(
      fc.asyncProperty(seconds(0, 120), seconds(60, 600), async (from, away) => {
        const until = from + away;
        const { swept, redelivered } = await runSweeps(until + 2 * MINUTE_MS, { from, until });

        const first = swept.find((at) => at >= until) ?? Number.POSITIVE_INFINITY;
        expect(first - until).toBeLessThanOrEqual(10 * SECOND_MS);
        expect(redelivered).toBe(0);
      }),
    );
  });

  it('is tried six times a minute, however long it stays away', async () => {
    const { failed } = await runSweeps(20 * MINUTE_MS, { from: 0, until: 20 * MINUTE_MS });

    expect(failed).toBe(20 * 6);
  });

  const throttled = () => new ApiThrottledError(ACTION, SECOND_MS);
  const away = () => new ApiUnreachableError(ACTION, { why: 'ECONNRESET' });

  it.each([
    ['say that it has just started', throttled],
    ['go while a sweep is under way', () => new AggregateError([away(), throttled()])],
  ])('may %s', async (_, error) => {
    const { swept } = await runSweeps(MINUTE_MS, { from: 0, until: 5 * SECOND_MS }, error);

    expect(swept).toEqual([10 * SECOND_MS]);
  });
});

it.each([
  ['each that got as far as the cluster', { from: 0, until: 0 }, 3],
  ['none while nobody reaches the API server, however often it is tried', { from: 0, until: 3 * MINUTE_MS }, 0],
])('counts sweeps for the alarm on their absence: %s', async (_, outage, count) => {
  expect((await runSweeps(3 * MINUTE_MS - SECOND_MS, outage)).counted).toBe(count);
});

it('leaves the retry to SQS if a sweep fails for another cause', async () => {
  const broken = () => new Error('the table is away');
  const outage = { from: 0, until: SECOND_MS };
  const { redelivered, counted } = await runSweeps(MINUTE_MS, outage, broken);

  expect(redelivered).toBe(1);
  // The sweep ran; its failure is another alarm's matter.
  expect(counted).toBe(1);
});
