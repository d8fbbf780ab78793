import { describe, expect, it } from 'vitest';
import { describeSpotPrices } from './spot-prices.ts';

describe('spot prices in the lab', () => {
  it('differ between types, and come for the requested zones only', () => {
    const parameters = new URLSearchParams({
      Action: 'DescribeSpotPriceHistory',
      'Filter.1.Name': 'availability-zone',
      'Filter.1.Value.1': 'us-east-1a',
    });
    const text = describeSpotPrices(parameters).body.toString();
    const usdOf = (type: string): number => Number(new RegExp(`>${type}<.*?<spotPrice>([^<]+)<`).exec(text)?.[1]);

    expect(usdOf('c6g.large')).toBeLessThan(usdOf('c6g.2xlarge') / 2);
    expect(new Set(text.match(/us-east-1\w/g))).toEqual(new Set(['us-east-1a']));
  });
});
