import type * as z from 'zod';

/** A stored decision or snapshot is damaged, incomplete, or from a release that this one cannot read. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
  /** The path in the record, for example `rows.pods[12].nodeName`. */
  readonly path: string;

  constructor(path: string, { why, ...options }: ErrorOptions & { readonly why: string }) {
    super(`${path}: ${why}`, options);
    this.path = path;
  }
}

/** Names the first value that a schema refused. */
export function toUnreadable(path: string, error: z.ZodError): UnreadableRecordError {
  const [issue] = error.issues;
  const keys = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return new UnreadableRecordError(`${path}${keys.join('')}`, {
    why: issue?.message ?? 'is not valid',
    cause: error,
  });
}

/**
 * Returns the content if it has the expected form. The content itself and not what the schema
 * returns, because the order of its fields is part of the record.
 *
 * @throws UnreadableRecordError - it has another form
 */
export function parseRecord<T>(schema: z.ZodType<T>, content: unknown, path: string): T {
  if (isOf(schema, content, path)) return content;
  throw new UnreadableRecordError(path, { why: 'is not valid' });
}

function isOf<T>(schema: z.ZodType<T>, content: unknown, path: string): content is T {
  const { error } = schema.safeParse(content);
  if (error) throw toUnreadable(path, error);
  return true;
}
