/** Returns the best of many items whose scores rarely rise. */
export interface LazyRanking<T> {
  /**
   * The item with the highest current score above 0; it stays in the ranking. Undefined if there is
   * none.
   */
  best(): T | undefined;
}

/**
 * A lazy priority queue: computes an item's score again only when its last score is the highest,
 * because an item whose score has fallen cannot have overtaken another. An item whose score has
 * risen is found late, which costs little money. Ties go to the item that was listed first.
 */
export function createLazyRanking<T>(items: readonly T[], score: (item: T) => number): LazyRanking<T> {
  const heap = items.map((item, order): Entry<T> => ({ item, order, score: score(item) }));
  for (let index = (heap.length >>> 1) - 1; index >= 0; index--) sink(heap, index);
  return {
    best() {
      for (;;) {
        const [top] = heap;
        if (!top || top.score <= 0) return undefined;
        const now = score(top.item);
        if (now >= top.score) return top.item;
        top.score = now;
        sink(heap, 0);
        if (heap[0] === top && now > 0) return top.item;
      }
    },
  };
}

interface Entry<T> {
  readonly item: T;
  readonly order: number;
  score: number;
}

function sink<T>(heap: Entry<T>[], from: number): void {
  let index = from;
  for (;;) {
    const leftChild = 2 * index + 1;
    const entry = heap[index];
    const child = better(heap[leftChild], heap[leftChild + 1]) ? leftChild : leftChild + 1;
    const other = heap[child];
    if (!entry || !other || better(entry, other)) return;
    heap[index] = other;
    heap[child] = entry;
    index = child;
  }
}

function better<T>(a: Entry<T> | undefined, b: Entry<T> | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.score > b.score || (a.score === b.score && a.order < b.order);
}
