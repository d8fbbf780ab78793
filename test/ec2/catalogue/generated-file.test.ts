import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { formatBundle, toZoneLetters } from '../../../shared/aws/ec2/catalogue-generator/bundle.ts';
import {
  parseBandwidth,
  parseBundled,
  parseVpcLimits,
} from '../../../shared/aws/ec2/catalogue-generator/network-facts.ts';
import { COLUMNS, reduceType } from '../../../shared/aws/ec2/catalogue-generator/reduce-type.ts';
import { UNLISTED_TYPES } from '../../../shared/aws/ec2/catalogue-generator/unlisted-types.ts';
import bundle from '../../../shared/ec2/catalogue/data/us-east-1.json' with { type: 'json' };

const aRecord = (over: Partial<InstanceTypeInfo> = {}): InstanceTypeInfo => ({
  InstanceType: 'm7g.large',
  SupportedVirtualizationTypes: ['hvm'],
  SupportedUsageClasses: ['on-demand', 'spot'],
  ProcessorInfo: {
    Manufacturer: 'AWS',
    SupportedArchitectures: ['arm64'],
    SustainedClockSpeedInGhz: 2.6,
  },
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  NetworkInfo: {
    Ipv4AddressesPerInterface: 10,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: 3, BaselineBandwidthInGbps: 0.937 }],
  },
  ...over,
});

describe('a DescribeInstanceTypes record', () => {
  it('is reduced to the facts that labels, capacity and offerings need', () => {
    expect(reduceType(aRecord(), 'ab', {})).toEqual({
      ...Object.fromEntries(COLUMNS.map((column) => [column, ''])),
      name: 'm7g.large',
      arch: 'arm64',
      cpu: '2',
      memoryMib: '8192',
      manufacturer: 'aws',
      clockMhz: '2600',
      networkMbps: '937',
      cardEnis: '3',
      ipv4PerEni: '10',
      traits: 'os',
      zones: 'ab',
    });
  });

  it.each<[string, Partial<InstanceTypeInfo>]>([
    ['of a Mac', { ProcessorInfo: { SupportedArchitectures: ['arm64_mac'] } }],
    ['of a paravirtual type', { SupportedVirtualizationTypes: ['paravirtual'] }],
  ])('is left out for %s', (_, over) => {
    expect(reduceType(aRecord(over), '', {})).toBeUndefined();
  });

  it('has the first architecture that Kubernetes supports', () => {
    const record = aRecord({ ProcessorInfo: { SupportedArchitectures: ['i386', 'x86_64'] } });

    expect(reduceType(record, '', {})?.arch).toBe('amd64');
  });

  it('prefers the given facts to those of the API', () => {
    const facts = { networkMbps: 1000, branchEnis: 9, cardEnis: 15 };

    expect(reduceType(aRecord(), '', facts)).toMatchObject({
      networkMbps: '1000',
      branchEnis: '9',
      cardEnis: '15',
    });
  });

  it('has no bandwidth for several network cards, or if the given one is 0', () => {
    const cards = [{ BaselineBandwidthInGbps: 200 }, { BaselineBandwidthInGbps: 200 }];
    const twoCards = aRecord({ NetworkInfo: { NetworkCards: cards } });

    expect(reduceType(twoCards, '', {})?.networkMbps).toBe('');
    expect(reduceType(aRecord(), '', { networkMbps: 0 })?.networkMbps).toBe('');
  });

  it('contains the placement group strategies and other traits', () => {
    const record = aRecord({
      ProcessorInfo: {
        SupportedArchitectures: ['x86_64'],
        SupportedFeatures: ['nested-virtualization'],
      },
      NetworkInfo: { EnaSupport: 'required' },
      PlacementGroupInfo: { SupportedStrategies: ['partition', 'spread'] },
    });

    expect(reduceType(record, '', {})?.traits).toBe('osavpd');
  });

  it('contains the interfaces of each of several cards', () => {
    const cards = [8, 7].map((MaximumNetworkInterfaces) => ({ MaximumNetworkInterfaces }));

    expect(reduceType(aRecord({ NetworkInfo: { NetworkCards: cards } }), '', {})?.cards).toBe('8,7');
  });

  it('counts the cores of Neuron devices and names each accelerator once', () => {
    const record = aRecord({
      NeuronInfo: {
        NeuronDevices: [{ Name: 'Inferentia2', Count: 6, CoreInfo: { Count: 2 } }],
      },
      InferenceAcceleratorInfo: { Accelerators: [{ Name: 'Inferentia2', Count: 6 }] },
    });

    expect(reduceType(record, '', {})).toMatchObject({
      neuron: '6:12',
      accelerators: 'inferentia2:aws:6',
    });
  });
});

describe('the file', () => {
  const header = {
    about: '',
    source: '',
    licence: '',
    generatedOn: '2026-01-01',
    region: 'us-east-1',
    zones: ['us-east-1a', 'us-east-1b'],
  };

  it('returns the facts that the API lacks', () => {
    const facts = { networkMbps: 1000, branchEnis: 9, cardEnis: 15 };
    const row = reduceType(aRecord(), 'a', facts);
    const written: unknown = JSON.parse(formatBundle(header, row ? [row] : []));

    expect(parseBundled(written)).toEqual(new Map([['m7g.large', facts]]));
  });

  it('has the columns that the generator writes', () => {
    expect(bundle.columns).toEqual([...COLUMNS]);
  });

  it('names its source and licence', () => {
    expect([bundle.source, bundle.licence]).toEqual([
      'DescribeInstanceTypes and DescribeInstanceTypeOfferings as served by moto 5.2.5',
      'moto: Apache-2.0, https://github.com/getmoto/moto',
    ]);
  });

  it('contains the types that the emulator does not list', () => {
    const names = bundle.types.map((row) => row.split('|')[0]);

    expect(names).toEqual(expect.arrayContaining(UNLISTED_TYPES.map((type) => type.InstanceType)));
  });

  it('writes zones as letters', () => {
    expect(toZoneLetters(['us-east-1b'], header.zones)).toBe('b');
  });
});

describe('the facts beside the API', () => {
  it('separate bandwidths that are only a word', () => {
    const json = { mbps: { 'm7g.large': 937 }, vague: { 't2.micro': 'Low to Moderate' } };

    expect(parseBandwidth(json)).toEqual(
      new Map([
        ['m7g.large', 937],
        ['t2.micro', 0],
      ]),
    );
  });

  it('count branch interfaces only with trunking, and only the default card', () => {
    const json = {
      types: {
        'm5.large': [3, 10, 1, 9, 'nitro', 0],
        't3.large': [3, 12, 0, 5, 'nitro', 0],
        'p4d.24xlarge': [60, 50, 1, 62, 'nitro', 0, [15, 15, 15, 15]],
      },
    };

    expect(parseVpcLimits(json)).toEqual(
      new Map([
        ['m5.large', { branchEnis: 9, cardEnis: 3 }],
        ['t3.large', { branchEnis: 0, cardEnis: 3 }],
        ['p4d.24xlarge', { branchEnis: 62, cardEnis: 15 }],
      ]),
    );
  });
});
