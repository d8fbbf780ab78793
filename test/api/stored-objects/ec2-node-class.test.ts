import { describe, expect, it } from 'vitest';
import type { EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { documents, manifestsIn, nodeClass, problemsIn } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const read = (spec: Fields = {}): EC2NodeClass => {
  const [first] = manifestsIn(documents(nodeClass(spec))).nodeClasses;
  if (!first) throw new Error('no class was read');
  return first;
};

const refusals = (spec: Fields): readonly string[] =>
  problemsIn(documents(nodeClass(spec))).map(({ code, path, why }) => {
    const rule = /^(EC-\d+)/.exec(why)?.[1] ?? code;
    return `${rule} ${path}`;
  });

const alias = (text: string) => ({ amiSelectorTerms: [{ alias: text }] });
const volume = (deviceName: string, volumeSize: string, more: Fields = {}) => ({
  deviceName,
  ebs: { volumeSize },
  ...more,
});

describe('an EC2NodeClass', () => {
  it('is complete with a role, an image and a network', () => {
    const simplest = read();

    expect(simplest.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(simplest).toEqual({
      name: 'default',
      uid: 'ec2nodeclass-default',
      amiFamily: 'AL2023',
      kubelet: {},
      hash: simplest.hash,
    });
  });

  it.each([
    ['al2@v20250101', undefined, 'AL2'],
    ['bottlerocket@v1.20.0', undefined, 'Bottlerocket'],
    ['windows2022@latest', undefined, 'Windows2022'],
    ['windows2025@latest', undefined, 'Windows2025'],
    ['al2023@latest', 'AL2023', 'AL2023'],
    ['al2023@latest', 'Custom', 'Custom'],
  ])('with alias %s and amiFamily %s has family %s', (text, amiFamily, expected) => {
    expect(read({ ...alias(text), amiFamily }).amiFamily).toBe(expected);
  });

  it('with images by id has the family that it names', () => {
    expect(read({ amiSelectorTerms: [{ id: 'ami-1' }], amiFamily: 'AL2' }).amiFamily).toBe('AL2');
  });

  it('keeps the kubelet settings that change the room on a node', () => {
    const kubelet = {
      maxPods: 58,
      podsPerCore: 10,
      kubeReserved: { cpu: '90m', memory: '1Gi' },
      systemReserved: { memory: '100Mi' },
      evictionHard: { 'memory.available': '5%' },
      clusterDNS: ['10.0.0.10'],
      anything: { goes: true },
    };

    expect(read({ kubelet }).kubelet).toEqual({
      maxPods: 58,
      podsPerCore: 10,
      kubeReserved: { cpu: 90, memory: GIB },
      systemReserved: { memory: 100 * 2 ** 20 },
      evictionHard: { 'memory.available': '5%' },
    });
  });

  it('ignores kubelet fields of an invalid type', () => {
    expect(read({ kubelet: { maxPods: true, kubeReserved: [1] } }).kubelet).toEqual({});
  });

  it('separates expressions from numbers', () => {
    const kubelet = {
      maxPods: 'vcpus * 8',
      kubeReserved: { cpu: '100m', memory: 'max_pods * 11' },
    };

    expect(read({ kubelet }).kubelet).toEqual({
      kubeReserved: { cpu: 100 },
      expressions: { maxPods: 'vcpus * 8', kubeReserved: { memory: 'max_pods * 11' } },
    });
  });

  it.each<[string, Fields, number | undefined]>([
    ['no mapping', {}, undefined],
    ['its device', { blockDeviceMappings: [volume('/dev/xvda', '100Gi')] }, 100 * GIB],
    ['another device', { blockDeviceMappings: [volume('/dev/xvdz', '100Gi')] }, undefined],
    [
      'the root volume',
      {
        blockDeviceMappings: [volume('/dev/xvda', '100Gi'), volume('/dev/xvdz', '1Ti', { rootVolume: true })],
      },
      1024 * GIB,
    ],
    [
      'the data volume of Bottlerocket',
      {
        ...alias('bottlerocket@latest'),
        blockDeviceMappings: [volume('/dev/xvda', '4Gi'), volume('/dev/xvdb', '50G')],
      },
      50e9,
    ],
    [
      'the last of a custom image',
      {
        amiFamily: 'Custom',
        blockDeviceMappings: [volume('/dev/sda', '4Gi'), volume('/dev/sdb', '9Gi')],
      },
      9 * GIB,
    ],
    [
      'a snapshot of unknown size',
      { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { snapshotID: 'snap-1' } }] },
      undefined,
    ],
  ])('has room for pods on %s', (_, spec, bytes) => {
    expect(read(spec).rootVolumeBytes).toBe(bytes);
  });

  it('is read with every field of the API', () => {
    const all = {
      capacityReservationSelectorTerms: [{ instanceMatchCriteria: 'targeted' }],
      placementGroupSelector: { name: 'a' },
      userData: '#!/bin/sh',
      tags: { Name: 'x' },
      associatePublicIPAddress: false,
      ipPrefixCount: 1,
      instanceStorePolicy: 'RAID0',
      networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }],
      detailedMonitoring: true,
      metadataOptions: { httpTokens: 'optional' },
      connectionTracking: { udpTimeout: 45 },
      context: 'c',
      cpuOptions: { nestedVirtualization: 'enabled' },
    };

    expect(read(all)).toMatchObject({ instanceStorePolicy: 'RAID0' });
  });

  it.each<[number | string, Fields, string]>([
    [107, alias('al2023'), 'rule-refused spec.amiSelectorTerms[0].alias'],
    [107, alias('@latest'), 'rule-refused spec.amiSelectorTerms[0].alias'],
    [108, alias('AL2023@latest'), 'EC-29 spec.amiSelectorTerms[0].alias'],
    [109, alias('windows2022@v1'), 'EC-30 spec.amiSelectorTerms[0].alias'],
    [110, alias('al2023@v1@v2'), 'EC-31 spec.amiSelectorTerms[0].alias'],
    [113, { amiFamily: 'Bottlerocket' }, 'EC-15 spec.amiFamily'],
    [114, { amiSelectorTerms: [{ id: 'ami-1' }] }, 'EC-14 spec.amiFamily'],
    [115, { amiFamily: 'Ubuntu' }, 'rule-refused spec.amiFamily'],
    [
      125,
      { blockDeviceMappings: [volume('/dev/xvda', '100Mi')] },
      'rule-refused spec.blockDeviceMappings[0].ebs.volumeSize',
    ],
    [
      125,
      { blockDeviceMappings: [volume('/dev/xvda', '59001Gi')] },
      'rule-refused spec.blockDeviceMappings[0].ebs.volumeSize',
    ],
    [128, { metadataOptions: { httpTokens: 'none' } }, 'rule-refused spec.metadataOptions.httpTokens'],
    [134, { instanceStorePolicy: 'RAID1' }, 'rule-refused spec.instanceStorePolicy'],
    ['no subnets', { subnetSelectorTerms: null }, 'rule-refused spec.subnetSelectorTerms'],
    ['typo', { subnetSelectorTerm: [] }, 'unknown-field spec.subnetSelectorTerm'],
    ['typo', { amiSelectorTerms: [{ alias: 'al2023@latest', tag: {} }] }, 'unknown-field spec.amiSelectorTerms[0].tag'],
  ])('is refused in row %s', (_, spec, refusal) => {
    expect(refusals(spec)).toEqual([refusal]);
  });
});
