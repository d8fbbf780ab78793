import { describe, expect, it } from 'vitest';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import type { AmiFamily } from '../../../shared/model/nodes/node-class.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { aNodeClass } from '../../support/builders.ts';

const names = (amiFamily: AmiFamily): string[] => listInstanceTypes(aNodeClass({ amiFamily })).map(({ name }) => name);

describe('the instance types of a NodeClass', () => {
  it.each<[AmiFamily, number]>([
    ['AL2023', 1385],
    ['AL2', 1391],
    ['Bottlerocket', 1391],
    ['Custom', 1391],
  ])('for %s are %i', (amiFamily, count) => {
    expect(names(amiFamily)).toHaveLength(count);
  });

  it.each<[AmiFamily, boolean]>([
    ['AL2023', false],
    ['Bottlerocket', true],
    ['Custom', true],
  ])('for %s include a1.medium: %s', (amiFamily, included) => {
    expect(names(amiFamily).includes('a1.medium')).toBe(included);
  });

  it('for Windows are amd64 only', () => {
    const types = listInstanceTypes(aNodeClass({ amiFamily: 'Windows2019' }));

    expect(new Set(types.map(({ labels }) => labels['kubernetes.io/arch']))).toEqual(new Set(['amd64']));
  });

  it('leave out those on which the kubelet would reserve more memory than they have', () => {
    // The reserves of Windows are those of 110 pods.
    expect(names('Windows2022')).not.toContain('t3a.nano');
    expect(names('Windows2022')).toContain('t3a.medium');
    expect(names('AL2023')).toContain('t3a.nano');
  });

  it('include those that no zone of the bundled region offers, because another region may', () => {
    expect(names('AL2')).toEqual(expect.arrayContaining(['g4ad.xlarge', 'p5e.48xlarge']));
  });

  it('are listed once each, in the order of their names', () => {
    expect(names('AL2')).toEqual([...new Set(names('AL2'))].toSorted());
  });

  it('leave the tenancy open', () => {
    expect(listInstanceTypes(aNodeClass())[0]?.choices).toEqual({
      'karpenter.k8s.aws/instance-tenancy': ['default', 'dedicated'],
    });
  });

  it('are the same list for classes with equal content, whatever their names', () => {
    const first = aNodeClass({ name: 'a', kubelet: { maxPods: 30 } });
    const second = aNodeClass({ name: 'b', kubelet: { maxPods: 30 } });

    expect(listInstanceTypes(second)).toBe(listInstanceTypes(first));
  });

  it.each([
    { kubelet: { maxPods: 31 } },
    { kubelet: { podsPerCore: 3 } },
    { kubelet: { systemReserved: { cpu: 100 } } },
    { kubelet: { kubeReserved: { memory: GIB } } },
    { kubelet: { evictionHard: { 'memory.available': '5%' } } },
    { rootVolumeBytes: 100 * GIB },
    { instanceStorePolicy: 'RAID0' as const },
  ])('are another list for a class with %j', (over) => {
    expect(listInstanceTypes(aNodeClass(over))).not.toEqual(listInstanceTypes(aNodeClass()));
  });
});
