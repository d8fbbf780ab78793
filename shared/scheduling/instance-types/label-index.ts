import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import {
  allowsAbsence,
  allowsValue,
  type Requirement,
} from '../../model/requirements/requirement.ts';
import {
  addBit,
  type Bitset,
  createEmptyBitset,
  createFullBitset,
  union,
  without,
} from '../data-structures/bitset.ts';

/** Finds instance types by label. */
export interface LabelIndex {
  /** True if any type has the key. */
  has(key: string): boolean;
  /** Finds the types that can meet the requirement on the key. */
  findTypesAllowing(key: string, requirement: Requirement): Bitset;
}

/** The types that have one label key. */
interface KeyIndex {
  readonly byValue: ReadonlyMap<string, Bitset>;
  /** All types that have the label. */
  readonly defined: Bitset;
}

export function createLabelIndex(types: readonly InstanceType[]): LabelIndex {
  const byKey = createKeyIndexes(types);
  const all = createFullBitset(types.length);
  const cache = new WeakMap<Requirement, Map<string, Bitset>>();
  return {
    has: (key) => byKey.has(key),
    findTypesAllowing(key, requirement) {
      const byKeyOfRequirement = getOrCreate(cache, requirement, () => new Map());
      return getOrCreate(byKeyOfRequirement, key, () =>
        computeTypesAllowing(byKey.get(key), requirement, all),
      );
    },
  };
}

function createKeyIndexes(types: readonly InstanceType[]): ReadonlyMap<string, KeyIndex> {
  const byKey = new Map<string, Map<string, Bitset>>();
  types.forEach((type, number) => {
    const values = { ...type.choices };
    for (const key in type.labels) values[key] = [type.labels[key] ?? ''];
    for (const key in values) {
      const byValue = getOrCreate(byKey, key, () => new Map());
      for (const value of values[key] ?? []) {
        const set = getOrCreate(byValue, value, () => createEmptyBitset(types.length));
        addBit(set, number);
      }
    }
  });
  return new Map(
    [...byKey].map(([key, byValue]) => {
      const defined = [...byValue.values()].reduce(union, createEmptyBitset(types.length));
      return [key, { byValue, defined }];
    }),
  );
}

/** Nodes of a type without the label never get it. */
function computeTypesAllowing(
  label: KeyIndex | undefined,
  requirement: Requirement,
  all: Bitset,
): Bitset {
  const isAbsenceAllowed = allowsAbsence(requirement);
  if (!label) return isAbsenceAllowed ? all : new Uint32Array(all.length);
  let set: Bitset = isAbsenceAllowed ? without(all, label.defined) : new Uint32Array(all.length);
  for (const [value, types] of label.byValue) {
    if (allowsValue(requirement, value)) set = union(set, types);
  }
  return set;
}
