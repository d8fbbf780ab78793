import { describe, expect, it } from 'vitest';
import { computeCapacity, computeMemoryMib } from '../../../shared/ec2/catalogue/capacity.ts';
import type { EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';
import { aNodeClass } from '../../support/builders.ts';
import { fits } from '../../support/resources.ts';
import { ec2Type, typeOf } from './ec2-type.ts';

const KIB = 1024;

const allocatable = (name: string, over: Partial<EC2NodeClass> = {}): Resources => typeOf(name, over).allocatable;

const disk = (gib: number): Resources => ({ 'ephemeral-storage': gib * GIB });

describe('capacity', () => {
  it.each([
    ['amd64', 7577],
    ['arm64', 7518],
  ] as const)('of 8192 MiB on a node with %s is %i', (arch, mebibytes) => {
    expect(computeMemoryMib({ ...ec2Type('m5.large'), arch, memoryMib: 8192 }, 0.075)).toBe(mebibytes);
  });

  it('of m5.large leaves 1930m, 6903Mi, 17Gi, 29 pods and 9 branch interfaces', () => {
    expect(allocatable('m5.large')).toEqual({
      cpu: 1930,
      memory: 6903 * MIB,
      'ephemeral-storage': 17 * GIB,
      pods: 29,
      'vpc.amazonaws.com/pod-eni': 9,
    });
  });

  it('of a1.medium leaves 940m, 1392Mi and 8 pods', () => {
    const { cpu, memory, pods } = allocatable('a1.medium');

    expect([cpu, memory, pods]).toEqual([940, 1392 * MIB, 8]);
  });

  it.each([
    ['t4g.small', 1930, 1_408_312],
    ['t4g.medium', 1930, 3_377_496],
    ['t4g.xlarge', 3920, 15_136_012],
    ['m5.large', 1930, 7_220_184],
  ])('of %s is at most that of real nodes: %im and %iKi', (name, cpu, kibibytes) => {
    const ours = allocatable(name);

    expect(ours.cpu).toBeLessThanOrEqual(cpu);
    expect(ours.memory).toBeLessThanOrEqual(kibibytes * KIB);
  });

  it.each<[string, Resources]>([
    ['p5.48xlarge', { 'nvidia.com/gpu': 8, 'vpc.amazonaws.com/efa': 32 }],
    ['g5.xlarge', { 'nvidia.com/gpu': 1 }],
    ['g4ad.16xlarge', { 'amd.com/gpu': 4 }],
    ['inf2.24xlarge', { 'aws.amazon.com/neuron': 6, 'aws.amazon.com/neuroncore': 12 }],
    ['trn1.2xlarge', { 'aws.amazon.com/neuron': 1, 'aws.amazon.com/neuroncore': 2 }],
    ['m5.large', { 'vpc.amazonaws.com/pod-eni': 9 }],
  ])('of %s contains %j', (name, resources) => {
    expect(computeCapacity(ec2Type(name), aNodeClass())).toMatchObject(resources);
  });

  it.each([
    ['t3.large', 'vpc.amazonaws.com/pod-eni'],
    ['m5.large', 'nvidia.com/gpu'],
    ['g6f.large', 'nvidia.com/gpu'],
  ])('of %s does not contain %s', (name, resource) => {
    expect(computeCapacity(ec2Type(name), aNodeClass())).not.toHaveProperty([resource]);
  });

  it('of a Windows node contains the addresses of one interface, less its own', () => {
    const resource = 'vpc.amazonaws.com/PrivateIPv4Address';

    expect(allocatable('m5.large', { amiFamily: 'Windows2022' })[resource]).toBe(9);
    expect(allocatable('m5.large')).not.toHaveProperty([resource]);
  });

  it('of a 20Gi disk holds a pod of 10Gi once, and no pod of 19Gi', () => {
    const free = allocatable('m5.large');

    expect([10, 17, 19, 20].map((gib) => fits(disk(gib), free))).toEqual([true, true, false, false]);
  });

  it('with RAID0 is 5000Gi of instance store on m6idn.32xlarge', () => {
    const raid = allocatable('m6idn.32xlarge', { instanceStorePolicy: 'RAID0' });

    expect(fits(disk(5000), raid)).toBe(true);
    expect(fits(disk(5000), allocatable('m6idn.32xlarge'))).toBe(false);
    expect(computeCapacity(ec2Type('m6idn.32xlarge'), aNodeClass({ instanceStorePolicy: 'RAID0' }))).toMatchObject({
      'ephemeral-storage': 7600e9,
    });
  });

  it('with RAID0 is unchanged for a type without instance store', () => {
    expect(allocatable('m5.large', { instanceStorePolicy: 'RAID0' })).toEqual(allocatable('m5.large'));
  });

  it.each([
    ['AL2023', undefined, 17],
    ['Custom', undefined, 17],
    ['Windows2019', undefined, 44],
    ['AL2023', 50 * GIB, 44],
  ] as const)('of %s with a root volume of %s leaves %iGi', (amiFamily, bytes, gib) => {
    const over = bytes === undefined ? { amiFamily } : { amiFamily, rootVolumeBytes: bytes };

    expect(allocatable('m5.large', over)['ephemeral-storage']).toBe(gib * GIB);
  });
});
