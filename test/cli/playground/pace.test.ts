import { describe, expect, it } from 'vitest';
import { advance, runSlice } from '../../../cli/playground/advance.ts';
import { createPace } from '../../../cli/playground/pace.ts';
import { createVirtualClock } from '../../../shared/simulation/virtual-clock.ts';

const NEVER = new AbortController().signal;

/** A clock with an event every virtual second. */
function beatingClock() {
  const clock = createVirtualClock(0);
  const beats: number[] = [];
  const beat = (): void => {
    beats.push(clock.now());
    clock.schedule(clock.now() + 1_000, beat);
  };
  clock.schedule(1_000, beat);
  return { clock, beats };
}

describe('virtual time', () => {
  it('runs exactly to the requested time', async () => {
    const { clock, beats } = beatingClock();
    await advance(clock, 3_500, { speed: 'max', stop: NEVER });

    expect(clock.now()).toBe(3_500);
    expect(beats).toEqual([1_000, 2_000, 3_000]);
  });

  it('lets timers of the process run at maximum speed', async () => {
    const { clock } = beatingClock();
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 1);
    // Without a yield to the event loop this would never end.
    await advance(clock, Number.MAX_SAFE_INTEGER, { speed: 'max', stop: stop.signal });

    expect(clock.now()).toBeGreaterThan(0);
  });

  it('ends a slice when its real time is used, after complete tasks', async () => {
    const { clock, beats } = beatingClock();
    await runSlice(clock, 10_000, 0);

    expect(beats).toEqual([1_000]);
    expect(clock.now()).toBe(1_000);
  });
});

describe('the pace of the playground', () => {
  /** Runs until `enough` returns true. */
  async function runUntil(
    pace: ReturnType<typeof createPace>,
    clock: ReturnType<typeof createVirtualClock>,
    enough: () => boolean,
  ): Promise<void> {
    const stop = new AbortController();
    const watch = setInterval(() => enough() && stop.abort(), 1);
    await pace.run(clock, stop.signal);
    clearInterval(watch);
  }

  it('follows real time at its speed, in whole milliseconds', async () => {
    const { clock, beats } = beatingClock();
    await runUntil(createPace(60), clock, () => beats.length >= 3);

    expect(Number.isInteger(clock.now())).toBe(true);
  });

  it('jumps from event to event at maximum speed', async () => {
    const { clock, beats } = beatingClock();
    await runUntil(createPace('max'), clock, () => beats.length >= 3_600);

    expect(beats.length).toBeGreaterThanOrEqual(3_600);
  });

  it('stands still at maximum speed if nothing is due', async () => {
    const clock = createVirtualClock(0);
    let ticks = 0;
    await runUntil(createPace('max'), clock, () => ++ticks > 100);

    expect(clock.now()).toBe(0);
  });

  it('stands still while paused and continues afterwards', async () => {
    const { clock, beats } = beatingClock();
    const pace = createPace('max');
    pace.pause();
    let ticks = 0;
    await runUntil(pace, clock, () => ++ticks > 100);
    expect({ paused: pace.paused(), beats }).toEqual({ paused: true, beats: [] });

    pace.resume();
    await runUntil(pace, clock, () => beats.length > 0);
    expect(beats.length).toBeGreaterThan(0);
  });

  it('pauses at the end of a step', async () => {
    const { clock, beats } = beatingClock();
    const pace = createPace(1);
    pace.step(() => beats.length >= 3);
    let ticks = 0;
    await runUntil(pace, clock, () => ++ticks > 200);

    expect({ paused: pace.paused(), beats }).toEqual({
      paused: true,
      beats: [1_000, 2_000, 3_000],
    });
  });

  it('changes its speed while it runs', async () => {
    const { clock, beats } = beatingClock();
    const pace = createPace(1);
    setTimeout(() => pace.setSpeed('max'), 1);
    await runUntil(pace, clock, () => beats.length >= 100);

    expect(pace.speed()).toBe('max');
  });
});
