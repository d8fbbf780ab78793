import type { EpochMs } from '../model/time.ts';

interface Due<T> {
  readonly at: EpochMs;
  /** The order in which they were asked for; breaks ties. */
  readonly seq: number;
  readonly what: T;
}

/** Things that fall due, earliest first: a binary heap. */
export interface DueQueue<T> {
  push(at: EpochMs, what: T): void;
  peek(): Due<T> | undefined;
  pop(): Due<T> | undefined;
}

export function createDueQueue<T>(): DueQueue<T> {
  const heap: Due<T>[] = [];
  let asked = 0;

  return {
    push(at, what) {
      heap.push({ at, seq: asked++, what });
      siftUp(heap, heap.length - 1);
    },
    peek: () => heap[0],
    pop() {
      const [first] = heap;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        siftDown(heap, 0);
      }
      return first;
    },
  };
}

const isEarlier = (a: Due<unknown> | undefined, b: Due<unknown> | undefined): boolean =>
  a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.seq < b.seq));

function siftUp<T>(heap: Due<T>[], from: number): void {
  let child = from;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isEarlier(heap[child], heap[parent])) return;
    swap(heap, child, parent);
    child = parent;
  }
}

function siftDown<T>(heap: Due<T>[], from: number): void {
  let parent = from;
  while (true) {
    const left = 2 * parent + 1;
    const child = isEarlier(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isEarlier(heap[child], heap[parent])) return;
    swap(heap, child, parent);
    parent = child;
  }
}

function swap<T>(heap: Due<T>[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}
