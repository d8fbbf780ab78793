import { EXIT, type ExitCode } from './exit.ts';

const HARD_STOP_AFTER_MS = 5_000;
/** So that who keeps to its time can still say that it is done. */
const SLACK_MS = 5_000;

type StopSignal = 'SIGINT' | 'SIGTERM';

export interface Stop {
  readonly signal: AbortSignal;
  /** Lets an orderly stop take so long; five seconds if nobody asks for more. */
  grant(ms: number): void;
}

/**
 * Turns the first Ctrl-C or SIGTERM into an orderly stop, which has its time; the second ends the
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

/** @param reason - what the stop was aborted with */
export const exitCodeOfSignal = (reason: unknown): ExitCode =>
  reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;

/** Whoever reads our stdout may leave early (`| head`): that is no defect of anybody. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.pipeClosed);
    throw error;
  });
}
