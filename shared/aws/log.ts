/** One structured line of the log. The home decides where it goes. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** Names, sizes and labels only: a log outlives the right to see a secret. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Log = (line: LogLine) => void;
