import type { ExitCode } from './errors.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The source of an answer; part of the JSON document. */
type Source = Readonly<Record<string, unknown>>;

/** The result of a command, independent of the output format. */
export interface Answer {
  /** The document's kind, such as `Simulation`. */
  readonly kind: string;
  readonly source: Source;
  /** False if the command stopped early or could not read everything. */
  readonly complete: boolean;
  readonly warnings: readonly string[];
  /** Plain data. Equal input and seed give equal bytes, so it contains no wall-clock time. */
  readonly result: unknown;
  /** The `kind/name` lines of `-o name`. */
  readonly names: readonly string[];
  /** Formats the answer as text. @param isWide - true for all columns */
  text(terminal: Terminal, isWide: boolean): string;
  /** Manifests for kubectl, printed to stdout instead of the document. */
  manifests?(format: 'yaml' | 'json'): string;
  /** Undefined means 0. */
  readonly exitCode?: ExitCode;
  /**
   * Work that continues after the answer is printed, until it is stopped (a served page, for
   * example).
   */
  readonly afterwards?: (stop: AbortSignal) => Promise<void>;
  /** Time that `afterwards` may take to stop; undefined for the default of all commands. */
  readonly graceMs?: number;
}

/** Creates an answer that is complete and continues no work. */
export const wholeAnswer = (answer: Pick<Answer, 'kind' | 'result' | 'text'> & Partial<Answer>): Answer => ({
  source: {},
  complete: true,
  warnings: [],
  names: [],
  ...answer,
});
