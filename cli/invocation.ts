import type { Answer } from './answer.ts';
import type { CommonFlags } from './arguments/flags.ts';
import type { Io } from './terminal/io.ts';
import type { Progress } from './terminal/progress.ts';

/** The context of a command besides its own flags. */
export interface Invocation {
  readonly io: Io;
  readonly progress: Progress;
  /**
   * Aborted by the first Ctrl-C or SIGTERM: the command must stop within five seconds and return
   * what it has.
   */
  readonly stop: AbortSignal;
  /** Sets the time that the command may take to stop, if that is longer than five seconds. */
  grant(ms: number): void;
  /** Prints a line to stderr, unless --quiet is given. */
  note(text: string): void;
  /** Prints a line to stderr if --verbose is given. */
  detail(text: string): void;
}

/** Runs a command's work and prints its answer. */
export type Run = (flags: CommonFlags, work: (invocation: Invocation) => Promise<Answer>) => Promise<void>;
