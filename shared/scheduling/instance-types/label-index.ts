import type { InstanceType } from '../../model/offerings/instance-type.ts';
import {
  allowsAbsence,
  allowsValue,
  type Requirement,
} from '../../model/requirements/requirement.ts';
import {
  addBit,
  type Bitset,
  emptyBitset,
  fullBitset,
  union,
  without,
} from '../data-structures/bitset.ts';

/** Which types can have which labels. */
export interface LabelIndex {
  /** Whether any type has the key. */
  has(key: string): boolean;
  /** Types that can meet the requirement on the key. */
  findTypesAllowing(key: string, requirement: Requirement): Bitset;
}

/** Types that have one key. */
interface KeyIndex {
  readonly byValue: ReadonlyMap<string, Bitset>;
  /** Types that have the label at all. */
  readonly defined: Bitset;
}

export function createLabelIndex(types: readonly InstanceType[]): LabelIndex {
  const byKey = createKeyIndexes(types);
  const all = fullBitset(types.length);
  const cache = new WeakMap<Requirement, Map<string, Bitset>>();
  return {
    has: (key) => byKey.has(key),
    findTypesAllowing(key, requirement) {
      const byKeyOfRequirement = cache.get(requirement) ?? new Map<string, Bitset>();
      cache.set(requirement, byKeyOfRequirement);
      const cached =
        byKeyOfRequirement.get(key) ?? computeTypesAllowing(byKey.get(key), requirement, all);
      byKeyOfRequirement.set(key, cached);
      return cached;
    },
  };
}

function createKeyIndexes(types: readonly InstanceType[]): ReadonlyMap<string, KeyIndex> {
  const byKey = new Map<string, Map<string, Bitset>>();
  types.forEach((type, number) => {
    const values = { ...type.choices };
    for (const key in type.labels) values[key] = [type.labels[key] ?? ''];
    for (const key in values) {
      const byValue = byKey.get(key) ?? new Map<string, Bitset>();
      byKey.set(key, byValue);
      for (const value of values[key] ?? []) {
        const set = byValue.get(value) ?? emptyBitset(types.length);
        byValue.set(value, set);
        addBit(set, number);
      }
    }
  });
  return new Map(
    [...byKey].map(([key, byValue]) => {
      const defined = [...byValue.values()].reduce(union, emptyBitset(types.length));
      return [key, { byValue, defined }];
    }),
  );
}

/** A type without the label is one whose nodes will never have it. */
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
