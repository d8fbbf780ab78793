import { EXIT, type ExitCode } from './exit.ts';

const HARD_STOP_AFTER_MS = 5_000;

type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Turns the first Ctrl-C or SIGTERM into an orderly stop, which has five seconds; the second ends
 * the process at once.
 */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const satisfies readonly StopSignal[]) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodeOfSignal(signal));
      controller.abort(signal);
      setTimeout(() => process.exit(exitCodeOfSignal(signal)), HARD_STOP_AFTER_MS).unref();
    });
  }
  return controller.signal;
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
