import type { Pace } from '../../console/source.ts';
import { DAY_MS } from '../../shared/model/time.ts';
import type { VirtualClock } from '../../shared/simulation/world.ts';
import type { Speed } from '../arguments/flags.ts';
import { runSlice, sleepRealTime } from './advance.ts';

const TICK_MS = 40;
/** Half of a tick, so that the page's requests are answered without delay. */
const SLICE_MS = 20;
/** After the machine slept, the simulation continues where it stopped. */
const MAX_STEP_MS = 250;

/** Maps real time to virtual time at a speed that can change, or pause. */
export interface RunningPace extends Pace {
  /** Pauses, and runs only until `isReached`. */
  step(isReached: () => boolean): void;
  /** Runs until `stop`. A machine that is too slow lags behind; nothing is skipped. */
  run(clock: VirtualClock, stop: AbortSignal): Promise<void>;
}

export function createPace(initial: Speed): RunningPace {
  let speed = initial;
  let paused = false;
  let isStepReached: (() => boolean) | undefined;

  /** Computes the virtual time after `elapsedMs` of real time. */
  const computeTarget = (elapsedMs: number, clock: VirtualClock): number => {
    if (paused) return clock.now();
    // At full speed time jumps to the next event; without an event it jumps by a day.
    if (speed === 'max') return clock.next() === undefined ? clock.now() : clock.now() + DAY_MS;
    return clock.now() + Math.floor(Math.min(elapsedMs, MAX_STEP_MS) * speed);
  };

  return {
    speed: () => speed,
    setSpeed: (next) => {
      speed = next;
    },
    paused: () => paused,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      isStepReached = undefined;
    },
    step: (isReached) => {
      paused = true;
      isStepReached = isReached;
    },
    async run(clock, stop) {
      let last = performance.now();
      while (!stop.aborted) {
        await sleepRealTime(TICK_MS);
        const now = performance.now();
        const target = computeTarget(now - last, clock);
        last = now;
        if (isStepReached && (await runStep(clock, isStepReached))) isStepReached = undefined;
        if (target > clock.now()) await runSlice(clock, target, SLICE_MS);
      }
    },
  };
}

/**
 * Runs work item by item for about a slice.
 *
 * @returns true if the step has ended: it is reached, or nothing is due any more
 */
async function runStep(clock: VirtualClock, isReached: () => boolean): Promise<boolean> {
  const end = performance.now() + SLICE_MS;
  while (performance.now() < end) {
    const next = clock.next();
    if (next === undefined) return true;
    await clock.runUntil(next);
    if (isReached()) return true;
  }
  return false;
}
