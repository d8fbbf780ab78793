import { describe, expect, it } from 'vitest';
import {
  type Commitment,
  computeNormalizedUnits,
  computeUsedUnits,
  sortByApplication,
} from '../../../shared/model/offerings/commitment.ts';
import { resources } from '../../support/builders.ts';

const instance = (instanceType: string, zone = 'us-east-1a') => ({
  instanceType,
  zone,
  capacity: resources(4, 16),
  onDemandUsd: 0.2,
});

const ZONAL: Commitment = {
  id: 'zonal',
  unit: 'instances',
  amount: 3,
  instanceType: 'm7i.xlarge',
  zone: 'us-east-1a',
};
const REGIONAL: Commitment = {
  id: 'regional',
  unit: 'normalized-units',
  amount: 24,
  family: 'm7i',
};
const FAMILY: Commitment = { id: 'family', unit: 'usd', amount: 1, family: 'm7i', priceShare: 0.6 };
const COMPUTE: Commitment = { id: 'compute', unit: 'usd', amount: 1, priceShare: 0.75 };

describe('a commitment', () => {
  it.each<[string, Commitment, string, string, number | undefined]>([
    ['one instance of its type and zone', ZONAL, 'm7i.xlarge', 'us-east-1a', 1],
    ['nothing in another zone', ZONAL, 'm7i.xlarge', 'us-east-1b', undefined],
    ['nothing of another size', ZONAL, 'm7i.large', 'us-east-1a', undefined],
    ['the units of a size', REGIONAL, 'm7i.2xlarge', 'us-east-1c', 16],
    ['nothing of another family', REGIONAL, 'm7a.2xlarge', 'us-east-1c', undefined],
    ['the price of the plan', FAMILY, 'm7i.xlarge', 'us-east-1c', 0.12],
    ['nothing of another family', FAMILY, 'c7i.xlarge', 'us-east-1c', undefined],
    ['the price of the plan, for any family', COMPUTE, 'c7i.xlarge', 'us-east-1c', 0.15],
  ])('gives an instance %s: %#', (_, commitment, type, zone, units) => {
    const used = computeUsedUnits(commitment, instance(type, zone));

    if (units === undefined) expect(used).toBeUndefined();
    else expect(used).toBeCloseTo(units, 9);
  });

  it.each<[string, number]>([
    ['t3.nano', 0.25],
    ['t3.micro', 0.5],
    ['t3.small', 1],
    ['m7g.medium', 2],
    ['m7i.large', 4],
    ['m7i.xlarge', 8],
    ['m7i.24xlarge', 192],
    ['m7i.metal-24xl', 192],
  ])('counts %s as %d units', (type, units) => {
    expect(computeNormalizedUnits(type, resources(96, 384))).toBe(units);
  });

  it('is applied after those that cover less', () => {
    const cheaper = { ...COMPUTE, id: 'cheaper', priceShare: 0.5 };

    expect(sortByApplication([COMPUTE, FAMILY, cheaper, REGIONAL, ZONAL]).map(({ id }) => id)).toEqual([
      'zonal',
      'regional',
      'family',
      'cheaper',
      'compute',
    ]);
  });
});
