/** Reads a value at a path of untyped JSON; undefined if the path does not exist. */
export const valueAt = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), value);

/** Parses a line that may be something else than JSON. */
export function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const text = valueAt(value, ...path);
  return typeof text === 'string' ? text : '';
};

export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list : [];
};

export const entriesOf = (value: unknown): readonly [string, unknown][] =>
  isRecord(value) ? Object.entries(value) : [];

export const isRecord = (value: unknown): value is Readonly<Record<string | number, unknown>> =>
  typeof value === 'object' && value !== null;
