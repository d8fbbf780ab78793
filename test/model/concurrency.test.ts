import { describe, expect, it } from 'vitest';
import {
  awaitAll,
  forEachConcurrently,
  forEachWithLimit,
  limitConcurrency,
  runSequentially,
  shareWhileRunning,
} from '../../shared/model/concurrency.ts';

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('forEachWithLimit', () => {
  it('handles every item, and never more at a time than the limit', async () => {
    let [busy, max] = [0, 0];
    const done: number[] = [];

    await forEachWithLimit([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      busy += 1;
      max = Math.max(max, busy);
      await pause();
      busy -= 1;
      done.push(item);
    });

    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(max).toBe(3);
  });

  it('handles the other items if some fail, and then throws all the errors', async () => {
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      await pause();
      if (item < 3) throw new Error(`no ${item}`);
      done.push(item);
    };

    await expect(forEachWithLimit([1, 2, 3, 4], 2, work)).rejects.toThrow('2 parts failed: Error: no 1; Error: no 2');
    expect(done).toEqual([3, 4]);
  });

  it('does nothing for an empty list', async () => {
    await expect(forEachWithLimit([], 2, pause)).resolves.toBeUndefined();
  });
});

describe('limitConcurrency', () => {
  it('runs no more work at a time than the limit, in the order of the calls', async () => {
    let [busy, max] = [0, 0];
    const done: number[] = [];
    const limited = limitConcurrency(2);
    const work = (item: number) =>
      limited(async () => {
        busy += 1;
        max = Math.max(max, busy);
        await pause();
        busy -= 1;
        done.push(item);
        return item * 2;
      });

    await expect(Promise.all([1, 2, 3, 4, 5].map(work))).resolves.toEqual([2, 4, 6, 8, 10]);

    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(max).toBe(2);
  });

  it('starts the next work after one that failed', async () => {
    const limited = limitConcurrency(1);
    const failing = limited(async () => {
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    await expect(limited(async () => 'done')).resolves.toBe('done');
  });
});

describe('shareWhileRunning', () => {
  it('does the work once for calls that overlap, with the arguments of the first', async () => {
    const begun: string[] = [];
    const share = shareWhileRunning(async (name: string) => {
      begun.push(name);
      await pause();
      return name;
    });

    expect(await Promise.all([share('a'), share('b')])).toEqual(['a', 'a']);
    expect(await share('c')).toBe('c');
    expect(begun).toEqual(['a', 'c']);
  });

  it('does the work again after it has failed', async () => {
    let calls = 0;
    const share = shareWhileRunning(async () => {
      calls += 1;
      if (calls === 1) throw new Error('first');
      return calls;
    });

    const results = await Promise.allSettled([share(), share()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await share()).toBe(2);
  });
});

describe('forEachConcurrently', () => {
  it('starts all the work at once, and waits for it', async () => {
    const log: string[] = [];

    await forEachConcurrently(['a', 'b'], async (item) => {
      log.push(`start ${item}`);
      await pause();
      log.push(`end ${item}`);
    });

    expect(log).toEqual(['start a', 'start b', 'end a', 'end b']);
  });
});

describe('runSequentially', () => {
  it('takes the later steps after one has failed, and then throws its error', async () => {
    const log: string[] = [];
    const failure = new Error('step 1');

    await expect(
      runSequentially([
        async () => {
          throw failure;
        },
        async () => log.push('step 2'),
      ]),
    ).rejects.toBe(failure);
    expect(log).toEqual(['step 2']);
  });
});

describe('awaitAll', () => {
  it('waits for the slow promises even if a fast one fails', async () => {
    let isDone = false;
    const slow = pause().then(() => {
      isDone = true;
    });

    await expect(awaitAll([Promise.reject(new Error('fast')), slow])).rejects.toThrow('fast');
    expect(isDone).toBe(true);
  });

  it('throws an error that several promises share as it is', async () => {
    const failure = new Error('one cause');

    await expect(awaitAll([Promise.reject(failure), Promise.reject(failure)])).rejects.toBe(failure);
  });
});
