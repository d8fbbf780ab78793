import { isRecord } from '../schema/schema.ts';

/** Fields of an object of unknown shape: old versions have no schema here, only known names. */
export type Fields = Readonly<Record<string, unknown>>;

export const toFields = (value: unknown): Fields => (isRecord(value) ? value : {});

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The same without fields that are absent, so that a converted object has no empty ones. */
export const present = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && !isEmptyMap(value)),
  );

const isEmptyMap = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** Names that `fields` has beside those that are `known`. */
export const listOtherFields = (fields: Fields, known: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)));
