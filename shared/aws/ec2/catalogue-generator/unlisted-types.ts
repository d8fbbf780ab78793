import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/** [size, vCPU, MiB, NVMe GB, GPUs, EBS Mbit/s, interfaces, IPv4 per interface] */
const G4AD = [
  ['xlarge', 4, 16_384, 150, 1, 3170, 2, 4],
  ['2xlarge', 8, 32_768, 300, 1, 3170, 2, 4],
  ['4xlarge', 16, 65_536, 600, 1, 3170, 3, 10],
  ['8xlarge', 32, 131_072, 1200, 2, 3170, 4, 15],
  ['16xlarge', 64, 262_144, 2400, 4, 6300, 8, 30],
] as const;

/**
 * Types of the price list that the emulator's DescribeInstanceTypes lacks: the only ones with AMD
 * GPUs. No zone is known to offer them, so they have no offering in the bundled region.
 */
export const UNLISTED_TYPES: readonly InstanceTypeInfo[] = G4AD.map(
  ([size, vcpus, memoryMib, nvmeGb, gpus, ebsMbps, interfaces, ipv4PerInterface]) => ({
    // The SDK's type for names contains these.
    InstanceType: `g4ad.${size}` as const,
    SupportedUsageClasses: ['on-demand', 'spot'],
    SupportedVirtualizationTypes: ['hvm'],
    Hypervisor: 'nitro',
    NitroEnclavesSupport: 'supported',
    ProcessorInfo: {
      Manufacturer: 'AMD',
      SupportedArchitectures: ['x86_64'],
      SustainedClockSpeedInGhz: 3,
    },
    VCpuInfo: { DefaultVCpus: vcpus },
    MemoryInfo: { SizeInMiB: memoryMib },
    InstanceStorageSupported: true,
    InstanceStorageInfo: { TotalSizeInGB: nvmeGb, NvmeSupport: 'required' },
    EbsInfo: {
      EbsOptimizedSupport: 'default',
      EbsOptimizedInfo: { MaximumBandwidthInMbps: ebsMbps },
    },
    GpuInfo: {
      Gpus: [
        {
          Name: 'Radeon Pro V520',
          Manufacturer: 'AMD',
          Count: gpus,
          MemoryInfo: { SizeInMiB: 8192 },
        },
      ],
    },
    PlacementGroupInfo: { SupportedStrategies: ['cluster', 'partition', 'spread'] },
    NetworkInfo: {
      EnaSupport: 'required',
      EncryptionInTransitSupported: true,
      Ipv4AddressesPerInterface: ipv4PerInterface,
      MaximumNetworkInterfaces: interfaces,
    },
  }),
);
