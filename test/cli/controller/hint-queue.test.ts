import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHintQueue } from '../../../cli/controller/hint-queue.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { workQueueContract } from '../../contracts/work-queue-contract.ts';
import { NOON } from '../../support/builders.ts';

const clock = { now: () => Date.now() };

beforeEach(() => vi.useFakeTimers({ now: NOON }));
afterEach(() => vi.useRealTimers());

workQueueContract('in process', async () => {
  const received: Hint[] = [];
  const queue = createHintQueue({ clock, work: async (hint) => void received.push(hint) });
  queue.start();
  return {
    queue,
    now: clock.now,
    async receiveFor(ms) {
      received.length = 0;
      await vi.advanceTimersByTimeAsync(ms);
      return [...received];
    },
  };
});

const claim = (name: string): Hint => ({ topic: 'claim', claim: name });

/** A queue whose work takes a second; it records `topic at second`. */
function aSlowQueue(work: (hint: Hint) => Promise<void> = async () => {}) {
  const timeline: string[] = [];
  const record = (what: string, hint: Hint): void => {
    const name = hint.topic === 'claim' ? hint.claim : hint.topic;
    timeline.push(`${Math.round((Date.now() - NOON) / 1000)}: ${what} ${name}`);
  };
  const queue = createHintQueue({
    clock,
    async work(hint) {
      record('begin', hint);
      await new Promise((done) => setTimeout(done, 1_000));
      await work(hint);
      record('end', hint);
    },
  });
  queue.start();
  return { queue, told: timeline };
}

describe('the hint queue of the controller', () => {
  it('runs plans one after the other and merges equal ones', async () => {
    const { queue, told: timeline } = aSlowQueue();
    await queue.send({ topic: 'plan' });
    await vi.advanceTimersByTimeAsync(500);
    await queue.send({ topic: 'plan' });
    await queue.send({ topic: 'plan' });
    await vi.advanceTimersByTimeAsync(5_000);

    expect(timeline).toEqual(['0: begin plan', '1: end plan', '1: begin plan', '2: end plan']);
  });

  it('runs claims in parallel, but each claim only once at a time', async () => {
    const { queue, told: timeline } = aSlowQueue();
    await queue.send(claim('a'));
    await queue.send(claim('b'));
    await vi.advanceTimersByTimeAsync(500);
    await queue.send(claim('a'));
    await vi.advanceTimersByTimeAsync(5_000);

    expect(timeline).toEqual(['0: begin a', '0: begin b', '1: end a', '1: end b', '1: begin a', '2: end a']);
  });

  it('retries a failed hint with back-off and does not delay others', async () => {
    let failuresLeft = 2;
    const { queue, told: timeline } = aSlowQueue(async ({ topic }) => {
      if (topic === 'plan' && failuresLeft-- > 0) throw new Error('not yet');
    });
    await queue.send({ topic: 'plan' });
    await queue.send({ topic: 'disrupt' });
    await vi.advanceTimersByTimeAsync(10_000);

    expect(timeline).toEqual([
      '0: begin plan',
      '0: begin disrupt',
      '1: end disrupt',
      '2: begin plan',
      '5: begin plan',
      '6: end plan',
    ]);
  });

  it('finishes running hints when paused, keeps the rest and continues when started', async () => {
    const { queue, told: timeline } = aSlowQueue();
    await queue.send({ topic: 'plan' });
    await vi.advanceTimersByTimeAsync(0);
    const paused = queue.pause();
    await queue.send(claim('a'));
    await vi.advanceTimersByTimeAsync(3_000);
    await paused;
    expect(timeline).toEqual(['0: begin plan', '1: end plan']);
    expect(queue.depth()).toEqual({ claim: 1 });

    queue.start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(timeline.slice(2)).toEqual(['3: begin a', '4: end a']);
    expect(queue.depth()).toEqual({});
  });
});
