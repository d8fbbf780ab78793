/**
 * Sorts as `sort.Slice` of Go does. It is not stable: of more than twelve elements, equal ones change
 * places, and the simulation of Karpenter has to repeat that. The algorithm is pattern-defeating
 * quicksort; every step follows Go's.
 *
 * @param keyOf - elements are sorted by this number, ascending
 * @see https://github.com/golang/go/blob/master/src/sort/zsortfunc.go (BSD-3-Clause)
 * @see Peters: Pattern-defeating Quicksort (2021)
 */
export function sortAsGo<T>(items: T[], keyOf: (item: T) => number): void {
  const keys = items.map(keyOf);
  const list: SortedList = {
    less: (a, b) => (keys[a] as number) < (keys[b] as number),
    swap: (a, b) => {
      [items[a], items[b]] = [items[b] as T, items[a] as T];
      [keys[a], keys[b]] = [keys[b] as number, keys[a] as number];
    },
  };
  quicksort(list, 0, items.length, bitLength(items.length));
}

/** Elements are compared and exchanged by their positions. */
interface SortedList {
  less(a: number, b: number): boolean;
  swap(a: number, b: number): void;
}

const MAX_INSERTION = 12;

/**
 * Sorts the positions from `start` to before `end`.
 *
 * @param badPivots - number of bad pivots after which heapsort takes over
 */
function quicksort(list: SortedList, start: number, end: number, badPivots: number): void {
  let [a, b, limit] = [start, end, badPivots];
  let [wasBalanced, wasPartitioned] = [true, true];
  for (;;) {
    const length = b - a;
    if (length <= MAX_INSERTION || limit === 0) {
      const sort = length <= MAX_INSERTION ? insertionSort : heapSort;
      sort(list, a, b);
      return;
    }
    if (!wasBalanced) {
      breakPatterns(list, a, b);
      limit--;
    }
    let { pivot, order } = choosePivot(list, a, b);
    if (order === 'decreasing') {
      reverseRange(list, a, b);
      pivot = b - 1 - (pivot - a);
      order = 'increasing';
    }
    if (wasBalanced && wasPartitioned && order === 'increasing' && finishSorted(list, a, b)) return;
    if (a > 0 && !list.less(a - 1, pivot)) {
      a = partitionEqual(list, a, b, pivot);
      continue;
    }
    const { middle, isPartitioned } = partition(list, a, b, pivot);
    wasPartitioned = isPartitioned;
    const [before, after] = [middle - a, b - middle];
    wasBalanced = Math.min(before, after) >= Math.floor(length / 8);
    if (before < after) {
      quicksort(list, a, middle, limit);
      a = middle + 1;
    } else {
      quicksort(list, middle + 1, b, limit);
      b = middle;
    }
  }
}

function insertionSort({ less, swap }: SortedList, a: number, b: number): void {
  for (let i = a + 1; i < b; i++) for (let j = i; j > a && less(j, j - 1); j--) swap(j, j - 1);
}

function heapSort(list: SortedList, first: number, end: number): void {
  const length = end - first;
  for (let i = Math.floor((length - 1) / 2); i >= 0; i--) siftDown(list, i, length, first);
  for (let i = length - 1; i >= 0; i--) {
    list.swap(first, first + i);
    siftDown(list, 0, i, first);
  }
}

function siftDown({ less, swap }: SortedList, start: number, end: number, first: number): void {
  for (let root = start; ; ) {
    let child = 2 * root + 1;
    if (child >= end) return;
    if (child + 1 < end && less(first + child, first + child + 1)) child++;
    if (!less(first + root, first + child)) return;
    swap(first + root, first + child);
    root = child;
  }
}

/** Moves three elements to pseudo-random positions. */
function breakPatterns({ swap }: SortedList, a: number, b: number): void {
  const length = b - a;
  const mask = BigInt(2 ** bitLength(length) - 1);
  let random = BigInt(length);
  const middle = a + Math.floor(length / 4) * 2;
  for (let position = middle - 1; position <= middle + 1; position++) {
    random = xorshift(random);
    const other = Number(random & mask);
    swap(position, a + (other >= length ? other - length : other));
  }
}

const UINT64 = 2n ** 64n - 1n;

function xorshift(seed: bigint): bigint {
  let value = seed ^ ((seed << 13n) & UINT64);
  value ^= value >> 7n;
  return value ^ ((value << 17n) & UINT64);
}

const bitLength = (length: number): number => (length === 0 ? 0 : 32 - Math.clz32(length));

const MIN_LENGTH_OF_NINTHER = 50;
/** Every comparison of the median of medians found its elements out of order. */
const MAX_SWAPS = 12;

type Order = 'increasing' | 'decreasing' | 'unknown';

function choosePivot(list: SortedList, a: number, b: number): { pivot: number; order: Order } {
  const length = b - a;
  const quarter = Math.floor(length / 4);
  let swaps = 0;
  const sortPair = (x: number, y: number): [number, number] => {
    if (!list.less(y, x)) return [x, y];
    swaps++;
    return [y, x];
  };
  const findMedian = (first: number, second: number, third: number): number => {
    let [x, y, z] = [first, second, third];
    [x, y] = sortPair(x, y);
    [y, z] = sortPair(y, z);
    [x, y] = sortPair(x, y);
    return y;
  };
  let samples = [a + quarter, a + quarter * 2, a + quarter * 3];
  if (length >= MIN_LENGTH_OF_NINTHER) samples = samples.map((sample) => findMedian(sample - 1, sample, sample + 1));
  const [first = a, second = a, third = a] = samples;
  const pivot = findMedian(first, second, third);
  if (swaps === 0) return { pivot, order: 'increasing' };
  return { pivot, order: swaps === MAX_SWAPS ? 'decreasing' : 'unknown' };
}

function reverseRange({ swap }: SortedList, a: number, b: number): void {
  for (let [i, j] = [a, b - 1]; i < j; i++, j--) swap(i, j);
}

const MAX_STEPS = 5;
const MIN_LENGTH_OF_SHIFTS = 50;

/** Sorts elements that are nearly sorted already. Returns false if they are not. */
function finishSorted({ less, swap }: SortedList, a: number, b: number): boolean {
  let i = a + 1;
  for (let step = 0; step < MAX_STEPS; step++) {
    while (i < b && !less(i, i - 1)) i++;
    if (i === b) return true;
    if (b - a < MIN_LENGTH_OF_SHIFTS) return false;
    swap(i, i - 1);
    if (i - a >= 2) for (let j = i - 1; j >= 1 && less(j, j - 1); j--) swap(j, j - 1);
    if (b - i >= 2) for (let j = i + 1; j < b && less(j, j - 1); j++) swap(j, j - 1);
  }
  return false;
}

/** Puts elements equal to the pivot before larger ones; none is smaller. */
function partitionEqual({ less, swap }: SortedList, a: number, b: number, pivot: number): number {
  swap(a, pivot);
  for (let [i, j] = [a + 1, b - 1]; ; i++, j--) {
    while (i <= j && !less(a, i)) i++;
    while (i <= j && less(a, j)) j--;
    if (i > j) return i;
    swap(i, j);
  }
}

/** Puts elements smaller than the pivot before the others. */
function partition({ less, swap }: SortedList, a: number, b: number, pivot: number) {
  swap(a, pivot);
  let isPartitioned = true;
  for (let [i, j] = [a + 1, b - 1]; ; i++, j--) {
    while (i <= j && less(i, a)) i++;
    while (i <= j && !less(j, a)) j--;
    if (i > j) {
      swap(j, a);
      return { middle: j, isPartitioned };
    }
    isPartitioned = false;
    swap(i, j);
  }
}
