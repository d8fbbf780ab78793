import { describe, expect, it } from 'vitest';
import { forEachWithLimit } from '../../../shared/controllers/support/run-all.ts';

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is done for each, a few at a time', () => {
  it('is done for all, and for no more at once', async () => {
    let [busy, most] = [0, 0];
    const done: number[] = [];

    await forEachWithLimit([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      busy += 1;
      most = Math.max(most, busy);
      await pause();
      busy -= 1;
      done.push(item);
    });

    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('is done for the others where it fails, and fails in the end', async () => {
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      await pause();
      if (item < 3) throw new Error(`no ${item}`);
      done.push(item);
    };

    await expect(forEachWithLimit([1, 2, 3, 4], 2, work)).rejects.toThrow(
      '2 parts failed: Error: no 1; Error: no 2',
    );
    expect(done).toEqual([3, 4]);
  });

  it('is nothing for none', async () => {
    await expect(forEachWithLimit([], 2, pause)).resolves.toBeUndefined();
  });
});
