import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type StreamHub, streamHub } from '../../../console/server/stream-hub.ts';
import { bigCluster } from '../support/big-cluster.ts';

/** A connection whose page reads only when `read` is called. */
class SlowConnection extends Writable {
  readonly received: string[] = [];
  private readonly unread: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.unread.push(() => {
      this.received.push(chunk.toString());
      done();
    });
  }

  /** Takes everything that was sent until now. */
  read(): void {
    for (let next = this.unread.shift(); next; next = this.unread.shift()) next();
  }

  count(type: string): number {
    return this.received.filter((text) => text.includes(`event: ${type}\n`)).length;
  }
}

let hub: StreamHub | undefined;
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  hub?.close(false);
  vi.useRealTimers();
});

async function connectSlowly(nodeCount: number) {
  const big = bigCluster(nodeCount);
  const connection = new SlowConnection();
  hub = streamHub(big.source, 'test');
  await hub.connect(connection, undefined);
  const pass = async (ticks: number, podsPerTick = 60) => {
    for (let tick = 0; tick < ticks; tick += 1) {
      big.stir(podsPerTick);
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  return { connection, pass };
}

it('sends patches, not a second keyframe, to a page that reads a large keyframe slowly', async () => {
  const { connection, pass } = await connectSlowly(500);
  await pass(5);
  connection.read();
  await pass(5);
  connection.read();

  expect(connection.count('state')).toBe(1);
  expect(connection.count('patch')).toBe(10);
});

it('sends a keyframe instead of the dropped patches to a page that reads nothing for long', async () => {
  const { connection, pass } = await connectSlowly(100);
  connection.read();
  await pass(20, 3_000);
  connection.read();
  await pass(1);
  connection.read();

  expect(connection.count('state')).toBe(2);
  expect(connection.count('patch')).toBeLessThan(20);
});

it('has the present state also while no page is connected', async () => {
  const big = bigCluster(1);
  hub = streamHub(big.source, 'test');
  const before = (await hub.keyframe()).pods;
  big.stir(1);

  expect((await hub.keyframe()).pods).not.toEqual(before);
});
