import { describe, expect, it } from 'vitest';
import { placeAll } from '../../../shared/scheduling/karpenter-price/scheduling-queue.ts';

describe('placeAll', () => {
  it('retries items after those behind them', () => {
    const served: string[] = [];
    const isPlaced = (pod: string) => {
      if (pod === 'joins web' && !served.includes('web')) return false;
      served.push(pod);
      return true;
    };

    expect(placeAll(['joins web', 'web', 'other'], isPlaced)).toBe(3);
    expect(served).toEqual(['web', 'other', 'joins web']);
  });

  it('ends when a whole round places no item', () => {
    expect(placeAll(['a', 'b', 'c'], (pod) => pod === 'b')).toBe(1);
  });
});
