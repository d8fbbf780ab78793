import { fnv1a64 } from '../model/hash.ts';

/** Plain JSON data. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Hashes a value to 16 hexadecimal digits. The order in maps and lists does not count, and an empty
 * value counts as absent. The hash need not withstand an attacker: any user with the right to edit
 * a pool could replace its nodes anyway.
 */
export const staticHash = (value: unknown): string => fnv1a64(canonicalText(value));

/** Formats JSON with sorted keys and sorted lists, without empty values. */
export const canonicalText = (value: unknown): string => JSON.stringify(canonical(value) ?? null);

function canonical(value: unknown): Json | undefined {
  if (Array.isArray(value)) return canonicalList(value);
  if (typeof value === 'object' && value !== null) return canonicalMap(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function canonicalList(items: readonly unknown[]): Json | undefined {
  const texts = items
    .map(canonical)
    .filter((item) => item !== undefined)
    .map((item) => JSON.stringify(item));
  return texts.length > 0 ? texts.toSorted() : undefined;
}

function canonicalMap(map: object): Json | undefined {
  const entries = Object.entries(map)
    .map(([key, item]) => [key, canonical(item)] as const)
    .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
