import { describe, expect, it } from 'vitest';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { computeCapacity } from '../../../shared/ec2/catalogue/capacity.ts';
import {
  computeEvictionReserve,
  computeKubeReserved,
  computeKubeReservedCpuMilli,
  computeOverhead,
  parseEvictionThreshold,
} from '../../../shared/ec2/catalogue/instance-types.ts';
import type { AmiFamily, EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';
import { aNodeClass } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';
import { ec2Type } from './ec2-type.ts';

const overhead = (name: string, nodeClass: EC2NodeClass) =>
  computeOverhead(ec2Type(name), nodeClass, computeCapacity(ec2Type(name), nodeClass));

const withHardEviction = (evictionHard: Readonly<Record<string, string>>): EC2NodeClass =>
  aNodeClass({ kubelet: { evictionHard } });

describe('overhead', () => {
  it.each([
    [1, 60],
    [2, 70],
    [4, 80],
    [8, 90],
    [16, 110],
    [32, 150],
    [48, 190],
    [64, 230],
    [96, 310],
    [128, 390],
    [192, 550],
  ])('for %i cores reserves %i millicores for the kubelet', (cores, milli) => {
    expect(computeKubeReservedCpuMilli(cores)).toBe(milli);
  });

  it('of m5.xlarge is 80m, 993Mi and 3Gi of a 20Gi disk', () => {
    expect(computeKubeReserved(ec2Type('m5.xlarge'), aNodeClass())).toEqual({
      cpu: 80,
      memory: 893 * MIB,
      'ephemeral-storage': GIB,
    });
    expect(overhead('m5.xlarge', aNodeClass())).toEqual({
      cpu: 80,
      memory: 993 * MIB,
      'ephemeral-storage': 3 * GIB,
    });
  });

  it('of Bottlerocket reserves memory by maxPods', () => {
    const nodeClass = aNodeClass({ amiFamily: 'Bottlerocket', kubelet: { maxPods: 110 } });

    expect(overhead('m5.xlarge', nodeClass).memory).toBe(1565 * MIB);
  });

  it.each<[AmiFamily, number]>([
    ['AL2', 640],
    ['AL2023', 640],
    ['Custom', 640],
    ['Bottlerocket', 365],
    ['Windows2022', 365],
  ])('of t3.large with maxPods 10 and %s reserves %iMi', (amiFamily, mebibytes) => {
    const nodeClass = aNodeClass({ amiFamily, kubelet: { maxPods: 10 } });

    expect(computeKubeReserved(ec2Type('t3.large'), nodeClass).memory).toBe(mebibytes * MIB);
  });

  it.each<[AmiFamily, number]>([
    ['AL2023', 640],
    ['Bottlerocket', 519],
    ['Windows2022', 1465],
  ])('of t3.large with one reserved interface and %s reserves %iMi', (amiFamily, mebibytes) => {
    const settings = { memoryOverhead: 0.075, reservedEnis: 1 };
    const reserved = computeKubeReserved(ec2Type('t3.large'), aNodeClass({ amiFamily }), settings);

    expect(reserved.memory).toBe(mebibytes * MIB);
  });

  it('takes kubeReserved per resource instead of the defaults', () => {
    const all = { cpu: 2000, memory: 10 * GIB, 'ephemeral-storage': 2 * GIB };
    const reserve = (kubeletReserve: Partial<typeof all>) =>
      computeKubeReserved(ec2Type('m5.xlarge'), aNodeClass({ kubelet: { kubeReserved: kubeletReserve } }));

    expect(reserve(all)).toEqual(all);
    expect(reserve({ memory: 10 * GIB })).toEqual({
      cpu: 80,
      memory: 10 * GIB,
      'ephemeral-storage': GIB,
    });
  });

  it('adds systemReserved as it is written', () => {
    const systemReserved = { cpu: 2000, memory: 20 * GIB, 'ephemeral-storage': 10 * GIB };

    expect(overhead('m5.xlarge', aNodeClass({ kubelet: { systemReserved } }))).toEqual({
      cpu: 2080,
      memory: 993 * MIB + 20 * GIB,
      'ephemeral-storage': 13 * GIB,
    });
  });

  it.each([
    ['500Mi', 500 * MIB],
    ['10%', GIB],
    ['100%', 0],
    ['5.5%', Math.ceil(0.55 * GIB)],
    ['1.5Gi', 1.5 * GIB],
    ['100M', 1e8],
  ])('for memory.available %s of 10Gi reserves %i bytes', (threshold, bytes) => {
    const reserve = computeEvictionReserve(withHardEviction({ 'memory.available': threshold }), {
      memory: 10 * GIB,
    });

    expect(reserve.memory).toBe(bytes);
  });

  it('keeps 100Mi of memory if only a disk threshold is set', () => {
    const capacity = { memory: 10 * GIB, 'ephemeral-storage': 20 * GIB };

    expect(computeEvictionReserve(withHardEviction({ 'nodefs.available': '20%' }), capacity)).toEqual({
      memory: 100 * MIB,
      'ephemeral-storage': 4 * GIB,
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['hard alone counts', { hard: '1Gi', soft: '3Gi' }, GIB],
    ['soft alone is no reserve', { soft: '3Gi' }, 100 * MIB],
    ['a share of the capacity', { hard: '5%', soft: '10%' }, Math.ceil(0.5 * GIB)],
    ['Bottlerocket alike', { hard: '1Gi', soft: '3Gi', alias: 'bottlerocket@latest' }, GIB],
  ])('reserves memory by the hard threshold only: %s', (_, { hard, soft, alias = 'al2023@latest' }, bytes) => {
    const signal = 'memory.available';
    const reading = readEC2NodeClass(
      'default',
      aWrittenClass({
        amiSelectorTerms: [{ alias }],
        kubelet: {
          ...(hard === undefined ? {} : { evictionHard: { [signal]: hard } }),
          evictionSoft: { [signal]: soft },
          evictionSoftGracePeriod: { [signal]: '1m' },
        },
      }),
    );
    const kubelet = reading.outcome === 'read' ? reading.value.kubelet : {};

    expect(computeEvictionReserve({ kubelet }, { memory: 10 * GIB }).memory).toBe(bytes);
  });

  it.each(['much', '', '10 %', '%'])('ignores the threshold %j and keeps 100Mi', (text) => {
    const nodeClass = withHardEviction({ 'memory.available': text });

    expect(parseEvictionThreshold(text, GIB)).toBeUndefined();
    expect(computeEvictionReserve(nodeClass, { memory: GIB }).memory).toBe(100 * MIB);
  });
});
