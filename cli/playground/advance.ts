import type { EpochMs } from '../../shared/model/time.ts';
import type { VirtualClock } from '../../shared/simulation/world.ts';
import type { Speed } from '../arguments/flags.ts';

/** Milliseconds of work before signals, timers and requests are handled. */
const SLICE_MS = 20;
const TICK_MS = 40;

/**
 * Runs virtual time up to `until` in slices, so that signals and requests are handled, and ends
 * early if `stop` is aborted.
 */
export async function advance(
  clock: VirtualClock,
  until: EpochMs,
  { speed, stop }: { speed: Speed; stop: AbortSignal },
): Promise<void> {
  const began = { virtual: clock.now(), real: performance.now() };
  while (clock.now() < until && !stop.aborted) {
    const target =
      speed === 'max' ? until : Math.min(until, began.virtual + Math.floor((performance.now() - began.real) * speed));
    if (target > clock.now()) await runSlice(clock, target, SLICE_MS);
    await (speed === 'max' ? yieldToEventLoop() : sleepRealTime(TICK_MS));
  }
}

/**
 * Runs the work due up to `until` for about `sliceMs` of real time. A single piece of work is never
 * interrupted, so a long decision may exceed the slice.
 */
export async function runSlice(clock: VirtualClock, until: EpochMs, sliceMs: number): Promise<void> {
  const end = performance.now() + sliceMs;
  do {
    await clock.runUntil(Math.min(clock.next() ?? until, until));
    if (performance.now() >= end) return;
  } while (clock.now() < until);
}

export const sleepRealTime = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const yieldToEventLoop = (): Promise<void> => new Promise((done) => setImmediate(done));
