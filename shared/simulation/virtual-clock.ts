import type { EpochMs } from '../model/time.ts';
import type { VirtualClock } from './world.ts';

/**
 * Runs work items one at a time: the next one starts when the promise of the last one has settled,
 * so that runs with equal input interleave equally.
 */
export function createVirtualClock(startAt: EpochMs): VirtualClock {
  const due = createDueQueue<() => void | Promise<void>>();
  let now = startAt;
  let running = false;

  async function runDue(until: EpochMs): Promise<void> {
    for (let next = due.peek(); next && next.at <= until; next = due.peek()) {
      due.pop();
      now = next.at;
      const done = next.item();
      // Most work is synchronous; an event loop turn for each item would dominate long runs.
      if (done) await done;
    }
    now = Math.max(now, until);
  }

  return {
    now: () => now,
    next: () => due.peek()?.at,
    schedule: (at, work) => due.push(Math.max(at, now), work),
    async runUntil(until) {
      if (running) throw new Error('The virtual clock runs already: await the run before');
      running = true;
      try {
        await runDue(until);
      } finally {
        running = false;
      }
    },
  };
}

interface Due<T> {
  readonly at: EpochMs;
  /** Breaks ties in the order of the requests. */
  readonly seq: number;
  readonly item: T;
}

/** Items by due time, earliest first: a binary heap. */
interface DueQueue<T> {
  push(at: EpochMs, item: T): void;
  peek(): Due<T> | undefined;
  pop(): Due<T> | undefined;
}

function createDueQueue<T>(): DueQueue<T> {
  const heap: Due<T>[] = [];
  let nextSeq = 0;

  return {
    push(at, item) {
      heap.push({ at, seq: nextSeq++, item });
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
    const leftChild = 2 * parent + 1;
    const child = isEarlier(heap[leftChild + 1], heap[leftChild]) ? leftChild + 1 : leftChild;
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
