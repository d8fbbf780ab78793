import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PODS } from '../../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi, LineStream } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { createObjectStore } from '../../../shared/kubernetes/watch/object-store.ts';
import { createWatchCache } from '../../../shared/kubernetes/watch/watch-cache.ts';
import { NOON } from '../../support/builders.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const streams: TransformStream<string, string>[] = [];
afterEach(() => {
  streams.length = 0;
});

let currentVersion: number;
const lists: unknown[] = [];
beforeEach(() => {
  currentVersion = 100;
  lists.length = 0;
});

/** An API server with an empty list, at version 100 at first, whose watch events the test sends. */
const api: KubernetesApi = {
  send: async () => ({ status: 404, body: {} }),
  async read({ query }) {
    lists.push(query);
    return { metadata: { resourceVersion: `${currentVersion}` }, items: [] };
  },
  async stream(): Promise<LineStream> {
    const stream = new TransformStream<string, string>();
    streams.push(stream);
    return { lines: stream.readable, close: () => undefined };
  },
};

/** Sends a stored pod with that version. */
async function tell(version: number): Promise<void> {
  const metadata = { namespace: 'default', name: `web-${version}`, resourceVersion: `${version}` };
  const writer = streams.at(-1)?.writable.getWriter();
  await writer?.write(JSON.stringify({ type: 'ADDED', object: { metadata } }));
  writer?.releaseLock();
  await vi.advanceTimersByTimeAsync(0);
}

/** A watch that was closed and resumed, like after a freeze. */
async function aResumedWatch() {
  const store = createObjectStore<unknown>();
  const read = (value: unknown) => ({ outcome: 'read' as const, value });
  const cache = createWatchCache({ api, kind: { resource: PODS, store, read }, now: () => NOON });
  await cache.sync();
  cache.close();
  await cache.sync();
  return cache;
}

/** True if the promise is already settled. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false;
  void promise.then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return over;
}

describe('a resumed watch', () => {
  it('has caught up after 50 ms without an event', async () => {
    const cache = await aResumedWatch();
    const caughtUp = cache.untilCaughtUp('200');
    await tell(110);

    await vi.advanceTimersByTimeAsync(49);
    expect(await isOver(caughtUp)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isOver(caughtUp)).toBe(true);
  });

  it('has caught up when it reaches a later version, even during a burst', async () => {
    const cache = await aResumedWatch();
    const caughtUp = cache.untilCaughtUp('120');

    await tell(119);
    expect(await isOver(caughtUp)).toBe(false);
    await tell(120);
    expect(await isOver(caughtUp)).toBe(true);
  });

  it('has caught up at once if it reached that version before', async () => {
    const cache = await aResumedWatch();
    await tell(130);

    expect(await isOver(cache.untilCaughtUp('120'))).toBe(true);
  });

  it('that does not pause has caught up when it reaches the version of a list of one object', async () => {
    const cache = await aResumedWatch();
    const caughtUp = cache.untilCaughtUp();
    currentVersion = 140;

    for (const version of [137, 138, 139]) {
      await vi.advanceTimersByTimeAsync(40);
      await tell(version);
    }
    expect(await isOver(caughtUp)).toBe(false);
    await tell(140);
    expect(await isOver(caughtUp)).toBe(true);
    expect(lists).toEqual([{ limit: '500' }, { limit: '1' }]);
  });

  it('that pauses is not asked for its version', async () => {
    const cache = await aResumedWatch();
    const caughtUp = cache.untilCaughtUp();
    await vi.advanceTimersByTimeAsync(50);

    expect(await isOver(caughtUp)).toBe(true);
    expect(lists).toEqual([{ limit: '500' }]);
  });

  it('is waited for at most a second if it neither pauses nor reaches the current version', async () => {
    const cache = await aResumedWatch();
    const caughtUp = cache.untilCaughtUp();
    currentVersion = 9_999;
    for (let ms = 0; ms < 960; ms += 40) {
      await vi.advanceTimersByTimeAsync(40);
      await tell(101 + ms);
    }

    expect(await isOver(caughtUp)).toBe(false);
    await vi.advanceTimersByTimeAsync(40);
    expect(await isOver(caughtUp)).toBe(true);
  });
});
