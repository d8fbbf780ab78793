import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type InstanceType, isBareMetal } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import {
  addBit,
  type Bitset,
  createBitset,
  createEmptyBitset,
  createFullBitset,
  forEachBit,
  hasBit,
  intersectInPlace,
  intersection,
  isEmptyBitset,
  overlaps,
  without,
} from '../data-structures/bitset.ts';
import {
  at,
  createResourceColumns,
  type ResourceColumns,
  toVector,
  type Vector,
} from '../data-structures/resource-vectors.ts';
import { createLabelIndex } from './label-index.ts';

/** Finds types by the amount of one resource. */
interface ResourceAmountIndex {
  /** Ascending, distinct. */
  readonly amounts: readonly number[];
  /** For each amount the types that have at least this much. */
  readonly atLeast: readonly Bitset[];
}

function createAmountIndex(allocatable: readonly Vector[], column: number): ResourceAmountIndex {
  const typesByAmount = Map.groupBy(allocatable.keys(), (number) => getAmount(allocatable[number], column));
  const amounts = [...typesByAmount.keys()].toSorted((a, b) => a - b);
  // From the largest amount down, each set contains those before it.
  const set = createEmptyBitset(allocatable.length);
  const sets = amounts.toReversed().map((amount) => {
    for (const number of typesByAmount.get(amount) ?? []) addBit(set, number);
    return set.slice();
  });
  return { amounts, atLeast: sets.toReversed() };
}

const getAmount = (vector: Vector | undefined, column: number): number => (vector ? at(vector, column) : 0);

/** Finds the types with at least the required amount; undefined if there are none. */
function findTypesWithAtLeast({ amounts, atLeast }: ResourceAmountIndex, required: number): Bitset | undefined {
  let [low, high] = [0, amounts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((amounts[middle] ?? 0) >= required) high = middle;
    else low = middle + 1;
  }
  return atLeast[low];
}

/** Every instance type of a snapshot, numbered, with sets of type numbers by label and resource. */
export interface TypeIndex {
  /** Types of all lists one after the other. A type's number is its index. */
  readonly types: readonly InstanceType[];
  readonly columns: ResourceColumns;
  readonly allocatable: readonly Vector[];
  readonly capacity: readonly Vector[];
  /** The largest capacity of all types, by column. */
  readonly largest: Vector;
  /** The type numbers of each name: one per list that has it. */
  readonly numbersOf: ReadonlyMap<string, readonly number[]>;
  readonly none: Bitset;
  /** Bare metal, except where it is reserved or committed, and so paid for already. */
  readonly bareMetal: Bitset;
  /**
   * Returns the types' columns followed by those of `names` that no type has. Equal names give the
   * same object.
   */
  columnsWith(names: Iterable<string>): ResourceColumns;
  /** Returns the types of one list. */
  ofList(list: readonly InstanceType[]): Bitset;
  /** True if types decide the key, not the zone, the capacity type or the NodePool's template. */
  isDecidedByType(key: string): boolean;
  /**
   * True if some type can be launched with one of several values of the key; the claim then says
   * which.
   */
  isLeftOpen(key: string): boolean;
  /** Finds the types that meet every requirement on a key that types decide. */
  matching(requirements: Requirements): Bitset;
  /** Finds the types whose allocatable holds `request` in addition to `taken`. */
  holding(request: Vector, taken: Vector): Bitset;
  /** Computes the largest allocatable of the types, by column. */
  findLargestAllocatable(types: Bitset): Vector;
}

// An index takes milliseconds to build, and lists stay the same object for hours: one index per
// first list.
const cachedIndexes = new WeakMap<
  readonly InstanceType[],
  { readonly lists: readonly (readonly InstanceType[])[]; readonly index: TypeIndex }
>();

/** Returns the index of all distinct lists of instance types of a snapshot. */
export function getTypeIndex(byPool: Readonly<Record<string, readonly InstanceType[]>>): TypeIndex {
  // Type numbers break ties, so they must not depend on the order of the NodePools.
  const pools = Object.keys(byPool).toSorted();
  const lists = [...new Set(pools.flatMap((pool) => [ownValue(byPool, pool) ?? []]))];
  const firstList = lists[0];
  if (!firstList) return buildIndex([]);

  const cached = cachedIndexes.get(firstList);
  if (cached && cached.lists.length === lists.length && cached.lists.every((l, i) => l === lists[i])) {
    return cached.index;
  }
  const index = buildIndex(lists);
  cachedIndexes.set(firstList, { lists, index });
  return index;
}

/** The offering or the template decides these keys, whatever a type's labels say. */
const KEYS_NOT_DECIDED_BY_TYPE: ReadonlySet<string> = new Set([
  ZONE_LABEL,
  CAPACITY_TYPE_LABEL,
  NODEPOOL_LABEL,
  NODECLASS_LABEL,
  HOSTNAME_LABEL,
]);

function buildIndex(lists: readonly (readonly InstanceType[])[]): TypeIndex {
  const types = lists.flat();
  const names = new Set(types.flatMap((type) => Object.keys(type.allocatable)));
  const columns = createResourceColumns(['cpu', 'memory', 'pods'], [...names].toSorted());
  const allocatable = types.map((type) => toVector(columns, type.allocatable));
  const capacity = types.map((type) => toVector(columns, type.capacity));
  const labels = createLabelIndex(types);
  const amountIndexes = new Map<number, ResourceAmountIndex>();
  const findTypesHolding = (column: number, required: number): Bitset | undefined =>
    column < columns.names.length
      ? findTypesWithAtLeast(
          getOrCreate(amountIndexes, column, () => createAmountIndex(allocatable, column)),
          required,
        )
      : undefined;
  const ranges = createRanges(lists, types.length);

  const none = createEmptyBitset(types.length);
  const all = createFullBitset(types.length);
  const isDecidedByType = (key: string) =>
    !KEYS_NOT_DECIDED_BY_TYPE.has(key) && (labels.has(key) || WELL_KNOWN_LABELS.has(key));
  const openKeys = new Set(types.flatMap(({ choices = {} }) => Object.keys(choices)));
  const columnsByNames = new Map<string, ResourceColumns>();
  const findLargestAllocatable = new WeakMap<Bitset, Vector>();

  return {
    types,
    columns,
    allocatable,
    capacity,
    largest: computeLargest(capacity, columns),
    numbersOf: Map.groupBy(types.keys(), (number) => types[number]?.name ?? ''),
    none,
    bareMetal: createBitset(
      types.keys().filter((number) => isUnpaidBareMetal(types[number])),
      types.length,
    ),
    columnsWith(extra) {
      const missingNames = [...new Set(extra)].filter((name) => !columns.indexOf.has(name)).toSorted();
      return getOrCreate(columnsByNames, missingNames.join(), () => createResourceColumns(columns.names, missingNames));
    },
    ofList: (list) => ranges.get(list) ?? none,
    isDecidedByType,
    isLeftOpen: (key) => openKeys.has(key),
    matching(requirements) {
      let set = all;
      for (const [key, requirement] of requirements) {
        if (isDecidedByType(key)) set = intersection(set, labels.findTypesAllowing(key, requirement));
      }
      return set;
    },
    holding(request, taken) {
      const set = all.slice();
      for (let column = 0; column < request.length; column++) {
        const required = at(request, column) + at(taken, column);
        if (required > 0) intersectInPlace(set, findTypesHolding(column, required) ?? none);
      }
      return set;
    },
    findLargestAllocatable(types) {
      return getOrCreate(findLargestAllocatable, types, () => computeLargestAmong(types, allocatable, columns));
    },
  };
}

const isUnpaidBareMetal = (type: InstanceType | undefined): boolean =>
  type !== undefined && isBareMetal(type) && type.reservation === undefined && type.commitment === undefined;

/**
 * Drops bare metal as long as another type remains. It boots for many minutes, and its spot price may be
 * the lowest.
 *
 * @see karpenter-provider-aws, filterExoticInstanceTypes
 */
export function dropBareMetal(types: Bitset, { bareMetal }: Pick<TypeIndex, 'bareMetal'>): Bitset {
  if (!overlaps(types, bareMetal)) return types;
  const others = without(types, bareMetal);
  return isEmptyBitset(others) ? types : others;
}

/** Creates the set of type numbers of each list. */
function createRanges(
  lists: readonly (readonly InstanceType[])[],
  size: number,
): ReadonlyMap<readonly InstanceType[], Bitset> {
  const ranges = new Map<readonly InstanceType[], Bitset>();
  let start = 0;
  for (const list of lists) {
    const range = createEmptyBitset(size);
    for (let offset = 0; offset < list.length; offset++) addBit(range, start + offset);
    ranges.set(list, range);
    start += list.length;
  }
  return ranges;
}

function computeLargestAmong(types: Bitset, vectors: readonly Vector[], { names }: ResourceColumns): Vector {
  const largestAmount = new Float64Array(names.length);
  forEachBit(types, (type) => {
    const vector = vectors[type];
    for (let column = 0; vector && column < largestAmount.length; column++) {
      largestAmount[column] = Math.max(at(largestAmount, column), at(vector, column));
    }
  });
  return largestAmount;
}

const computeLargest = (vectors: readonly Vector[], { names }: ResourceColumns): Vector =>
  Float64Array.from(names, (_, column) =>
    vectors.reduce((largestAmount, vector) => Math.max(largestAmount, at(vector, column)), 0),
  );

/**
 * Lists the types that a claim may be launched as, with the capacities of its own NodePool's
 * NodeClass.
 */
export function listTypesOfClaim(
  { pool, instanceTypes }: NodeClaim,
  byPool: Readonly<Record<string, readonly InstanceType[]>>,
  { types, numbersOf, ofList }: TypeIndex,
): InstanceType[] {
  const poolTypes = ofList(ownValue(byPool, pool) ?? []);
  return instanceTypes.flatMap((name) => {
    const numbers = numbersOf.get(name) ?? [];
    const type = types[numbers.find((number) => hasBit(poolTypes, number)) ?? numbers[0] ?? -1];
    return type ? [type] : [];
  });
}

/** Finds the largest amount of a resource among `types`, and the type that has it. */
export function findLargest(
  index: TypeIndex,
  types: Bitset,
  column: number,
): { readonly type: string; readonly amount: number } | undefined {
  let largestAmount: { type: string; amount: number } | undefined;
  forEachBit(types, (number) => {
    const amount = at(index.allocatable[number] ?? new Float64Array(), column);
    if (!largestAmount || amount > largestAmount.amount)
      largestAmount = { type: index.types[number]?.name ?? '', amount };
  });
  return largestAmount;
}
