import { describe, expect, it } from 'vitest';
import { serve } from '../../../shared/scheduling/karpenter/queue.ts';

describe('the queue', () => {
  it('serves who had to wait again, after those behind', () => {
    const served: string[] = [];
    const isPlaced = (pod: string) => {
      if (pod === 'joins web' && !served.includes('web')) return false;
      served.push(pod);
      return true;
    };

    expect(serve(['joins web', 'web', 'other'], isPlaced)).toBe(3);
    expect(served).toEqual(['web', 'other', 'joins web']);
  });

  it('ends when a whole round has placed nobody', () => {
    expect(serve(['a', 'b', 'c'], (pod) => pod === 'b')).toBe(1);
  });
});
