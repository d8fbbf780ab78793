import { isRecord } from '../schema/schema.ts';

/** Fields of an object without a schema: old versions are read by field names only. */
export type Fields = Readonly<Record<string, unknown>>;

export const toFields = (value: unknown): Fields => (isRecord(value) ? value : {});

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Drops fields that are `undefined`, so that a converted object has no empty ones. */
export const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !isEmptyMap(value)));

const isEmptyMap = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** Returns the fields without those that have one of the names. */
export const omitFields = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
