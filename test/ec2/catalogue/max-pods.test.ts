import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ec2Type } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { EC2_TYPES } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { computeMaxPods } from '../../../shared/ec2/catalogue/max-pods.ts';
import type { AmiFamily } from '../../../shared/model/nodes/node-class.ts';
import { aNodeClass } from '../../support/builders.ts';
import { ec2Type } from './ec2-type.ts';

describe('max pods', () => {
  it.each([
    ['t3.large', 35],
    ['m6idn.32xlarge', 394],
    ['m7g.2xlarge', 58],
    ['p4d.24xlarge', 737],
    ['i7ie.48xlarge', 737],
  ])('of %s follow from its addresses: %i', (name, pods) => {
    expect(computeMaxPods(ec2Type(name), aNodeClass())).toBe(pods);
  });

  it.each<[AmiFamily, number]>([
    ['AL2', 24],
    ['AL2023', 24],
    ['Bottlerocket', 24],
    ['Custom', 24],
    ['Windows2022', 110],
  ])('with one reserved interface on %s are %s on t3.large', (amiFamily, pods) => {
    expect(computeMaxPods(ec2Type('t3.large'), aNodeClass({ amiFamily }), 1)).toBe(pods);
  });

  it('are 0 on every type if more interfaces are reserved than exist', () => {
    const remaining = EC2_TYPES.filter((type) => computeMaxPods(type, aNodeClass(), 1_000_000) !== 0);

    expect(remaining).toEqual([]);
  });

  it.each<[AmiFamily, number, string, number]>([
    ['AL2023', 4, 'm5.large', 8],
    ['AL2023', 4, 'm5.2xlarge', 20],
    ['AL2023', 0, 'm5.large', 20],
    ['Bottlerocket', 4, 'm5.large', 20],
    ['Windows2019', 4, 'm5.large', 8],
  ])('of %s with podsPerCore %i and maxPods 20 on %s are %i', (...row) => {
    const [amiFamily, podsPerCore, name, pods] = row;
    const nodeClass = aNodeClass({ amiFamily, kubelet: { podsPerCore, maxPods: 20 } });

    expect(computeMaxPods(ec2Type(name), nodeClass)).toBe(pods);
  });

  it('of Windows without maxPods are 110 on every type', () => {
    const numbers = EC2_TYPES.map((type) => computeMaxPods(type, aNodeClass({ amiFamily: 'Windows2022' })));

    expect(new Set(numbers)).toEqual(new Set([110]));
  });

  it('never exceed a configured maxPods', () => {
    fc.assert(
      fc.property(anyType, fc.nat(500), fc.nat(20), (type, max, podsPerCore) => {
        const kubelet = { maxPods: max, podsPerCore };
        expect(computeMaxPods(type, aNodeClass({ kubelet }))).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('are at least 4 on every type', () => {
    expect(EC2_TYPES.filter((type) => computeMaxPods(type, aNodeClass()) < 4)).toEqual([]);
  });
});

const anyType: fc.Arbitrary<Ec2Type> = fc.constantFrom(...EC2_TYPES);
