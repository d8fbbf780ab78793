import { type Bitset, forEachBit } from './bitset.ts';
import type { Template } from './templates.ts';
import type { TypeIndex } from './type-index.ts';

/** The first key of which the types no longer offer as many values as the pool's minValues ask. */
export function unmetMinValues(
  { minValues }: Template,
  types: Bitset,
  index: TypeIndex,
): { readonly key: string; readonly wanted: number; readonly found: number } | undefined {
  for (const { key, count } of minValues) {
    const found = distinctValues(types, key, index);
    if (found < count) return { key, wanted: count, found };
  }
  return undefined;
}

// Zones and capacity types are counted where offerings are: types alone cannot run out of them.
function distinctValues(types: Bitset, key: string, index: TypeIndex): number {
  if (!index.decides(key)) return Infinity;
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const value = index.types[number]?.labels[key];
    if (value !== undefined) values.add(value);
  });
  return values.size;
}
