import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepHidden } from '../../functions/support/keep-hidden.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import { aRecord } from './fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const records = [aRecord('a'), aRecord('b')];
const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

describe('the messages of a running invocation', () => {
  it('are hidden for half a minute at once, and again every eight seconds', async () => {
    const hide = vi.fn(async () => undefined);
    const running = keepHidden(hide, records, () => sleep(20 * SECOND_MS));
    await vi.advanceTimersByTimeAsync(20 * SECOND_MS);
    await running;
    await vi.advanceTimersByTimeAsync(20 * SECOND_MS);

    expect(hide.mock.calls).toEqual(Array(3).fill([['receipt of a', 'receipt of b'], 30]));
  });

  it('do not stop the work if SQS refuses', async () => {
    const done = await keepHidden(
      () => Promise.reject(new Error('throttled')),
      records,
      async () => 'worked',
    );

    expect(done).toBe('worked');
  });

  it('have no request in flight when the invocation answers', async () => {
    const order: string[] = [];
    const hide = async () => {
      await sleep(50);
      order.push('hidden');
    };
    const answering = keepHidden(hide, records, async () => order.push('worked')).then(() => order.push('answered'));
    await vi.advanceTimersByTimeAsync(100);
    await answering;

    expect(order).toEqual(['worked', 'hidden', 'answered']);
  });

  it('are not renewed after the work has failed', async () => {
    const hide = vi.fn(async () => undefined);
    const failing = keepHidden(hide, records, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    await vi.advanceTimersByTimeAsync(20 * SECOND_MS);

    expect(hide).toHaveBeenCalledTimes(1);
  });
});
