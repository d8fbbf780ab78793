/** A structured log line. The composition root decides where it goes. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Names, sizes and labels only, no secrets: logs are kept longer than access rights. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Log = (line: LogLine) => void;
