/** What a conversion could not carry over, or changed on the way: codes are never given twice. */
export type MessageCode = `${'X' | 'W'}-${string}`;

export interface ConvertMessage {
  /** `X-…` are errors: the object is left out. */
  readonly code: MessageCode;
  /** `Provisioner/batch`. */
  readonly object: string;
  /** Of the field that was read; empty for the whole object. */
  readonly path: string;
  readonly text: string;
}

/** Takes down what is to be told of one object. */
export type Tell = (code: MessageCode, path: string, text: string) => void;

export const isError = ({ code }: Pick<ConvertMessage, 'code'>): boolean => code.startsWith('X-');

/** Some JSON value, short enough for a line. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
