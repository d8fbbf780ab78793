import type { ExitCode } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Where an answer comes from; part of the JSON document. */
type Source = Readonly<Record<string, unknown>>;

/** What a command answers, before any format: one renderer prints it. */
export interface Answer {
  /** The document's kind: `Simulation`. */
  readonly kind: string;
  readonly source: Source;
  /** False: stopped early, or something could not be read. */
  readonly complete: boolean;
  readonly warnings: readonly string[];
  /** Plain data. Equal input and seed give equal bytes, so no wall-clock time in here. */
  readonly result: unknown;
  /** `kind/name` lines of `-o name`. */
  readonly names: readonly string[];
  /** For people. @param isWide - with every column that there is */
  text(terminal: Terminal, isWide: boolean): string;
  /** Manifests for kubectl: what stdout carries in the place of the document. */
  manifests?(format: 'yaml' | 'json'): string;
  /** Absent: 0. */
  readonly exitCode?: ExitCode;
  /** Goes on after the answer is printed, until it is told to stop: a page that is served. */
  readonly afterwards?: (stop: AbortSignal) => Promise<void>;
  /** How long that may take to end once it was told; absent: as long as every other command. */
  readonly graceMs?: number;
}

/** An answer that is known at once and whole. */
export const wholeAnswer = (
  answer: Pick<Answer, 'kind' | 'result' | 'text'> & Partial<Answer>,
): Answer => ({ source: {}, complete: true, warnings: [], names: [], ...answer });
