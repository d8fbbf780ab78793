import { describe, expect, it } from 'vitest';
import { joined } from '../../shared/aws/joined.ts';

/** Answers each key in capitals; `none` is not known. */
function aLoad() {
  const requests: (readonly string[])[] = [];
  const load = async (keys: readonly string[]) => {
    requests.push(keys);
    if (keys.includes('broken')) throw new Error('refused');
    return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]));
  };
  return { requests, load };
}

describe('joined calls', () => {
  it('of one moment are one request, and each gets its own answer', async () => {
    const { requests, load } = aLoad();
    const call = joined(load, 10);

    expect(await Promise.all(['a', 'b', 'none', 'a'].map(call))).toEqual([
      'A',
      'B',
      undefined,
      'A',
    ]);
    expect(requests).toEqual([['a', 'b', 'none']]);
  });

  it('that come while a request is under way are the next', async () => {
    const { requests, load } = aLoad();
    const call = joined(load, 10);
    const first = call('a');
    await Promise.resolve();

    await Promise.all([first, call('b'), call('c')]);

    expect(requests).toEqual([['a'], ['b', 'c']]);
  });

  it('are split at the most that a request may hold', async () => {
    const { requests, load } = aLoad();
    const call = joined(load, 2);

    expect(await Promise.all(['a', 'b', 'c'].map(call))).toEqual(['A', 'B', 'C']);
    expect(requests).toEqual([['a', 'b'], ['c']]);
  });

  it('fail with their request, and not with one before it', async () => {
    const { load } = aLoad();
    const call = joined(load, 10);

    await expect(Promise.all(['a', 'broken'].map(call))).rejects.toThrow('refused');
    expect(await call('b')).toBe('B');
  });
});
