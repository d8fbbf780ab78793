import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { allowsAbsence, allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import { addBit, type Bitset, createEmptyBitset, createFullBitset, without } from '../data-structures/bitset.ts';

/** Finds instance types by label. */
export interface LabelIndex {
  /** True if any type has the key. */
  has(key: string): boolean;
  /** Finds the types that can meet the requirement on the key. */
  findTypesAllowing(key: string, requirement: Requirement): Bitset;
}

/** The types that have one label key. */
interface KeyIndex {
  readonly numbersByValue: ReadonlyMap<string, readonly number[]>;
  /** All types that have the label. */
  readonly defined: Bitset;
}

/** Indexes a key on first use: types have dozens of labels, of which requirements name few. */
export function createLabelIndex(types: readonly InstanceType[]): LabelIndex {
  const all = createFullBitset(types.length);
  const existingKeys = new Map<string, boolean>();
  const indexes = new Map<string, KeyIndex>();
  const cache = new WeakMap<Requirement, Map<string, Bitset>>();
  return {
    has: (key) => getOrCreate(existingKeys, key, () => types.some((type) => hasKey(type, key))),
    findTypesAllowing(key, requirement) {
      const byKeyOfRequirement = getOrCreate(cache, requirement, () => new Map());
      return getOrCreate(byKeyOfRequirement, key, () =>
        computeTypesAllowing(
          getOrCreate(indexes, key, () => createKeyIndex(types, key)),
          requirement,
          all,
        ),
      );
    },
  };
}

const hasKey = ({ labels, choices }: InstanceType, key: string): boolean =>
  Object.hasOwn(labels, key) || (choices !== undefined && Object.hasOwn(choices, key));

function createKeyIndex(types: readonly InstanceType[], key: string): KeyIndex {
  const numbersByValue = new Map<string, number[]>();
  const defined = createEmptyBitset(types.length);
  types.forEach(({ labels, choices }, number) => {
    const label = ownValue(labels, key);
    for (const value of label === undefined ? (ownValue(choices, key) ?? []) : [label]) {
      getOrCreate(numbersByValue, value, () => []).push(number);
      addBit(defined, number);
    }
  });
  return { numbersByValue, defined };
}

/** Nodes of a type without the label never get it. */
function computeTypesAllowing({ numbersByValue, defined }: KeyIndex, requirement: Requirement, all: Bitset): Bitset {
  const set: Bitset = allowsAbsence(requirement) ? without(all, defined) : new Uint32Array(all.length);
  for (const [value, numbers] of numbersByValue) {
    if (!allowsValue(requirement, value)) continue;
    for (const number of numbers) addBit(set, number);
  }
  return set;
}
