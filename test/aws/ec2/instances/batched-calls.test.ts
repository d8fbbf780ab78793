import { describe, expect, it } from 'vitest';
import { batchCalls } from '../../../../shared/aws/ec2/instances/batched-calls.ts';

/** Records the requests; answers the ids that exist and fails for `throttled`. */
function aService(existing: (ids: readonly string[]) => readonly string[] = (ids) => ids) {
  const requests: string[] = [];
  const call = batchCalls({
    maxSize: 3,
    async callAll(ids) {
      requests.push(ids.join());
      if (ids.includes('throttled')) throw new Error('RequestLimitExceeded');
      return new Map(existing(ids).map((id) => [id, { answer: `${id}!` }]));
    },
    async callOne(id) {
      requests.push(id);
      return `${id}!`;
    },
  });
  return { call, requests, callAll: (...ids: string[]) => Promise.all(ids.map(call)) };
}

describe('concurrent calls', () => {
  it('become one request that contains each id once', async () => {
    const { callAll, requests } = aService();

    expect(await callAll('a', 'b', 'a')).toEqual(['a!', 'b!', 'a!']);
    expect(requests).toEqual(['a,b']);
  });

  it('are repeated one by one for ids that the request does not answer', async () => {
    const { callAll, requests } = aService((ids) => ids.filter((id) => id !== 'b'));

    expect(await callAll('a', 'b')).toEqual(['a!', 'b!']);
    expect(requests).toEqual(['a,b', 'b']);
  });

  it('all fail if the request does, because single requests would be throttled as well', async () => {
    const { callAll, requests } = aService();

    await expect(callAll('a', 'throttled')).rejects.toThrow('RequestLimitExceeded');
    expect(requests).toEqual(['a,throttled']);
  });

  it('become several requests if one would be too large', async () => {
    const { callAll, requests } = aService();

    await callAll('a', 'b', 'c', 'd', 'e');

    expect(requests).toEqual(['a,b,c', 'd,e']);
  });

  it('do not include a single call, nor calls that start later', async () => {
    const { call, requests } = aService();

    await call('a');
    await call('a');

    expect(requests).toEqual(['a', 'a']);
  });
});
