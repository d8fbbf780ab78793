import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCommittedCapacity } from '../../shared/api/committed-capacity.ts';
import { parseInstant } from '../../shared/model/time.ts';

const read = (text: string) => readCommittedCapacity(text, parse);

describe('committed capacity', () => {
  it('is read from YAML, with the part that the cluster may use', () => {
    expect(
      read(`
share: 0.5
reservedInstances:
  - {instanceType: m7i.xlarge, count: 10, end: "2027-03-01T00:00:00Z"}
  - {id: gpu, instanceType: g5.xlarge, count: 2}
  - {instanceType: r7g.large, count: 4, zone: us-east-1a}
savingsPlans:
  - {type: EC2Instance, family: c7i, hourlyUsd: 2.5, discountPercent: 40}
  - {id: sp, type: Compute, hourlyUsd: 4, discountPercent: 25}
`),
    ).toEqual({
      outcome: 'read',
      commitments: [
        {
          id: 'reservedInstances.0',
          unit: 'normalized-units',
          amount: 40,
          family: 'm7i',
          endsAt: parseInstant('2027-03-01T00:00:00Z'),
        },
        { id: 'gpu', unit: 'instances', amount: 1, instanceType: 'g5.xlarge' },
        {
          id: 'reservedInstances.2',
          unit: 'instances',
          amount: 2,
          instanceType: 'r7g.large',
          zone: 'us-east-1a',
        },
        { id: 'savingsPlans.0', unit: 'usd', amount: 1.25, priceShare: 0.6, family: 'c7i' },
        { id: 'sp', unit: 'usd', amount: 2, priceShare: 0.75 },
      ],
    });
  });

  it('may be absent', () => {
    expect(read(' ')).toEqual({ outcome: 'read', commitments: [] });
  });

  it.each<[string, string]>([
    ['[', 'reservedInstances and savingsPlans, in YAML or JSON'],
    ['reserved: []', 'unknown reserved'],
    ['share: 1.5', 'share is not'],
    ['reservedInstances: [{instanceType: m7i, count: 1}]', 'reservedInstances.0.instanceType'],
    ['reservedInstances: [{instanceType: m7i.large, count: 1.5}]', 'reservedInstances.0.count'],
    ['savingsPlans: [{type: Machine, hourlyUsd: 1, discountPercent: 1}]', 'savingsPlans.0.type'],
    ['savingsPlans: [{type: Compute, hourlyUsd: 0, discountPercent: 1}]', 'savingsPlans.0.hourlyUsd'],
    [
      'reservedInstances: [{id: a, instanceType: m7i.large, count: 1}, {id: a, instanceType: m7i.large, count: 1}]',
      'the id a is there twice',
    ],
  ])('is refused as %j', (text, why) => {
    expect(read(text)).toEqual({
      outcome: 'refused',
      why: expect.stringContaining(why) as unknown,
    });
  });
});
