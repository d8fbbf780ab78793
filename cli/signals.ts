import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, type ExitCode } from './errors.ts';

const HARD_STOP_AFTER_MS = 5_000;
/** Additional time so that a command that stops in time can still print its answer. */
const SLACK_MS = 5_000;

type StopSignal = 'SIGINT' | 'SIGTERM';

interface Stop {
  readonly signal: AbortSignal;
  /** Sets the time that an orderly stop may take; the default is five seconds. */
  grant(ms: number): void;
}

/**
 * Turns the first Ctrl-C or SIGTERM into an orderly stop with a time limit; the second ends the
 * process at once.
 */
export function stopOnSignals(): Stop {
  const controller = new AbortController();
  let hardStopAfterMs = HARD_STOP_AFTER_MS;
  for (const signal of ['SIGINT', 'SIGTERM'] as const satisfies readonly StopSignal[]) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodeOfSignal(signal));
      controller.abort(signal);
      setTimeout(() => process.exit(exitCodeOfSignal(signal)), hardStopAfterMs).unref();
    });
  }
  return {
    signal: controller.signal,
    grant(ms) {
      hardStopAfterMs = Math.max(hardStopAfterMs, ms + SLACK_MS);
    },
  };
}

/**
 * @param reason - the reason of the abort
 */
export const exitCodeOfSignal = (reason: unknown): ExitCode =>
  reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;

/** A reader of our stdout may close it early (`| head`); that is not an error. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.pipeClosed);
    throw error;
  });
}

/** Waits, and returns early without an error if `stop` is aborted. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
