import { isRecord } from '../schema/schema.ts';

/** The fix for a value with none of the fields; undefined if it has any of them. */
export const addOneOf = (value: unknown, ...fields: readonly string[]): string | undefined =>
  isRecord(value) && !fields.some((field) => Object.hasOwn(value, field))
    ? `add one of ${fields.join(', ')}`
    : undefined;
