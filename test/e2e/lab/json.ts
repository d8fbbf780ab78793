/** Looks into JSON of others without believing that it has a shape. */
export const valueAt = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), value);

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
};

export const listAt = (
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] => {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
};

export const entriesOf = (value: unknown): readonly [string, unknown][] =>
  isRecord(value) ? Object.entries(value) : [];

const isRecord = (value: unknown): value is Readonly<Record<string | number, unknown>> =>
  typeof value === 'object' && value !== null;
