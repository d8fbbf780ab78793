import { describe, expect, it } from 'vitest';
import { createPriceList } from '../../shared/aws/ec2/prices/price-list.ts';
import { EC2_TYPES, findEc2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { listInstanceTypes } from '../../shared/ec2/catalogue/instance-types.ts';
import { weighType } from '../../shared/ec2/catalogue/type-weight.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aNodeClass, aNodePool, aPod, aPodSpec, aSnapshot, resources, ZONES } from '../support/builders.ts';

const weigh = (name: string): number => weighType(findEc2Type(name) ?? expect.fail(`${name} is not bundled`));

/** Every bundled type in three zones, without any price. */
function planWithoutPrices(requests: Record<string, number>) {
  const types = listInstanceTypes(aNodeClass());
  const prices = createPriceList({
    zonesOf: () => ZONES,
    spotUsd: () => undefined,
    onDemandUsd: undefined,
  });
  const snapshot = aSnapshot({
    pools: [aNodePool()],
    pods: [aPod({ spec: aPodSpec({ requests }) })],
    instanceTypes: { general: types },
    offerings: types.flatMap(({ name }) => prices.offeringsOf(name)),
    ...(prices.unpriced && { unpriced: prices.unpriced }),
  });
  return planProvisioning(snapshot, 'd-1');
}

describe('a plan without prices', () => {
  it('takes a type that is hardly larger than the pods, and none with accelerators', () => {
    const [planned, ...others] = planWithoutPrices(resources(3, 12, { pods: 1 })).claims;

    expect(others).toEqual([]);
    const type = findEc2Type(planned?.cheapest.instanceType ?? '');
    expect(type).toMatchObject({ cpu: 4, memoryMib: 16_384, gpus: [], accelerators: [] });
  });

  it('shows no weight as a price', () => {
    const plan = planWithoutPrices(resources(3, 12, { pods: 1 }));

    expect(plan.hourlyUsd).toBe(0);
    expect(plan.bound).toBeUndefined();
    const [planned] = plan.claims;
    expect(planned?.cheapest.hourlyUsd).toBe(0);
    expect(planned).not.toHaveProperty('nextBest');
    expect(planned).not.toHaveProperty('choice');
  });

  it('uses accelerators if the pods request them', () => {
    const requests = { ...resources(2, 8, { pods: 1 }), 'nvidia.com/gpu': 1 };

    const [planned] = planWithoutPrices(requests).claims;

    expect(findEc2Type(planned?.cheapest.instanceType ?? '')?.gpus[0]?.count).toBe(1);
  });
});

describe('the weight of a type', () => {
  it('is above 0 for every bundled type', () => {
    expect(EC2_TYPES.filter((type) => !(weighType(type) > 0))).toEqual([]);
  });

  it.each([
    ['more vCPUs', 'm7i.large', 'm7i.xlarge'],
    ['more memory', 'c7i.large', 'r7i.large'],
    ['a GPU', 'm7i.24xlarge', 'p4d.24xlarge'],
    ['bare metal', 'm5.24xlarge', 'm5.metal'],
    ['an older generation', 'm7i.large', 'm5.large'],
  ])('is higher with %s: %s, %s', (_, light, heavy) => {
    expect(weigh(heavy)).toBeGreaterThan(weigh(light));
  });
});
