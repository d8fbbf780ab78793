import type { Answer } from './answer.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';

/** What a command gets beside its own flags. */
export interface Invocation {
  readonly io: Io;
  readonly progress: Progress;
  /** Aborted by the first Ctrl-C or SIGTERM: stop within five seconds, and give what there is. */
  readonly stop: AbortSignal;
  /** A line on stderr, silenced by --quiet. */
  note(text: string): void;
  /** A line on stderr that only --verbose asks for. */
  detail(text: string): void;
}

/** Runs a command's work and prints its answer. */
export type Run = (
  flags: CommonFlags,
  work: (invocation: Invocation) => Promise<Answer>,
) => Promise<void>;
