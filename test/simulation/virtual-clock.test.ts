import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../shared/simulation/virtual-clock.ts';
import { NOON } from '../support/builders.ts';

describe('the virtual clock', () => {
  it('advances only by a run, to the end of the run', async () => {
    const clock = createVirtualClock(NOON);

    expect(clock.now()).toBe(NOON);
    await clock.runUntil(NOON + 5_000);

    expect(clock.now()).toBe(NOON + 5_000);
    expect(clock.next()).toBeUndefined();
  });

  it('runs work by time, equal times in order of scheduling', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 50 }), { maxLength: 60 }), async (delays) => {
        const clock = createVirtualClock(0);
        const ran: (readonly [number, number])[] = [];
        for (const [index, delay] of delays.entries()) {
          clock.schedule(delay, () => {
            ran.push([clock.now(), index]);
          });
        }

        await clock.runUntil(50);

        const expected = delays.map((delay, index) => [delay, index] as const);
        expect(ran).toEqual(expected.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
      }),
    );
  });

  it('starts no work before the previous work has ended', async () => {
    const clock = createVirtualClock(NOON);
    const steps: string[] = [];
    clock.schedule(NOON, async () => {
      steps.push('first begins');
      await Promise.resolve();
      await Promise.resolve();
      steps.push('first ends');
    });
    clock.schedule(NOON, () => {
      steps.push('second');
    });

    await clock.runUntil(NOON);

    expect(steps).toEqual(['first begins', 'first ends', 'second']);
  });

  it('runs work that is scheduled during the run, up to the end of the run', async () => {
    const clock = createVirtualClock(NOON);
    const ran: string[] = [];
    clock.schedule(NOON + 1_000, () => {
      clock.schedule(NOON + 2_000, () => {
        ran.push('within');
      });
      clock.schedule(NOON + 3_001, () => {
        ran.push('beyond');
      });
    });

    await clock.runUntil(NOON + 3_000);

    expect(ran).toEqual(['within']);
    expect(clock.next()).toBe(NOON + 3_001);
  });

  it('runs late work at the current time', async () => {
    const clock = createVirtualClock(NOON);
    let ranAt = 0;
    clock.schedule(NOON - 60_000, () => {
      ranAt = clock.now();
    });

    await clock.runUntil(NOON);

    expect(ranAt).toBe(NOON);
  });

  it('refuses a second run while one is in progress', async () => {
    const clock = createVirtualClock(NOON);
    const run = clock.runUntil(NOON + 1_000);

    await expect(clock.runUntil(NOON + 2_000)).rejects.toThrow('runs already');
    await run;
  });

  it('rethrows what work throws, and continues with the rest in the next run', async () => {
    const clock = createVirtualClock(NOON);
    let ran = false;
    clock.schedule(NOON, () => {
      throw new Error('broken');
    });
    clock.schedule(NOON, () => {
      ran = true;
    });

    await expect(clock.runUntil(NOON)).rejects.toThrow('broken');
    await clock.runUntil(NOON);

    expect(ran).toBe(true);
  });
});
