import { describe, expect, it } from 'vitest';
import { EC2_TYPES } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { findOnDemandUsd } from '../../../shared/ec2/catalogue/on-demand-prices.ts';
import { PUBLISHED_PRICES } from './published.ts';

describe('on-demand prices', () => {
  it('are within half a percent of the price list for all 1367 types', () => {
    const off = [...PUBLISHED_PRICES].filter(([name, usd]) => {
      const ours = findOnDemandUsd(name);
      return ours === undefined || Math.abs(ours / usd - 1) > 0.005;
    });

    expect(PUBLISHED_PRICES.size).toBe(1367);
    expect(off).toEqual([]);
  });

  it('are undefined for bundled types that are not on the list', () => {
    const invented = EC2_TYPES.filter(({ name }) => findOnDemandUsd(name) !== undefined && !PUBLISHED_PRICES.has(name));

    expect(invented).toEqual([]);
  });

  it.each([
    ['m7g.2xlarge', 0.3264],
    ['t3.micro', 0.0104],
    ['g5.xlarge', 1.006],
    ['u-6tb1.56xlarge', 46.4039],
    ['m6g.metal', 2.6112],
    ['p3.8xlarge', 12.24],
  ])('of %s are $%d per hour', (name, usd) => {
    expect(findOnDemandUsd(name)).toBe(usd);
  });

  it.each(['c98.large', 'm7g', '', 'p3.metal', 'r9g.large'])('are undefined for %j', (name) => {
    expect(findOnDemandUsd(name)).toBeUndefined();
  });
});
