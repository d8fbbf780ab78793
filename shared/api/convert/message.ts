/** Codes of what a conversion could not carry over or has changed. A code is never reused. */
export type MessageCode = `${'X' | 'W'}-${string}`;

export interface ConvertMessage {
  /** `X-…` are errors: the object is left out. */
  readonly code: MessageCode;
  /** `Provisioner/batch`. */
  readonly object: string;
  /** The path of the old field; empty for the whole object. */
  readonly path: string;
  readonly text: string;
}

/** Collects a message about one object. */
export type ReportMessage = (code: MessageCode, path: string, text: string) => void;

export const isError = ({ code }: Pick<ConvertMessage, 'code'>): boolean => code.startsWith('X-');

/** Formats a JSON value, shortened to fit on a line. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
