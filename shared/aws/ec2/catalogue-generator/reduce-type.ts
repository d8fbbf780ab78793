import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/**
 * The facts that instance types are derived from, one cell per column of the bundled file. An empty
 * cell means that EC2 does not say. `shared/ec2/catalogue/ec2-types.ts` reads the columns by name.
 */
export type TypeRow = Readonly<Record<BundleColumn, string>>;

/** In the order of the file. Units: MiB, MHz, Mbit/s, decimal GB. */
export const COLUMNS = [
  'name',
  'arch',
  'cpu',
  'memoryMib',
  'manufacturer',
  'clockMhz',
  'ebsMbps',
  'networkMbps',
  'storageGb',
  'gpus',
  'accelerators',
  'neuron',
  'efa',
  'branchEnis',
  'cardEnis',
  'cards',
  'ipv4PerEni',
  'hypervisor',
  'traits',
  'zones',
] as const;
export type BundleColumn = (typeof COLUMNS)[number];

/** Facts that DescribeInstanceTypes lacks or that its snapshot has wrong; 0 means none. */
export interface NetworkFacts {
  readonly networkMbps?: number | undefined;
  readonly branchEnis?: number | undefined;
  readonly cardEnis?: number | undefined;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

/** `Radeon Pro V520` becomes `radeon-pro-v520`. */
const toLabelValue = (name = ''): string => name.replaceAll(' ', '-').toLowerCase();
const formatCell = (value: number | undefined): string => (value === undefined ? '' : `${value}`);

/** Returns undefined if no EKS image boots on the type (Mac, or paravirtual only). */
export function reduceType(type: InstanceTypeInfo, zones: string, facts: NetworkFacts): TypeRow | undefined {
  const architecture = type.ProcessorInfo?.SupportedArchitectures?.find((name) => name in ARCHITECTURES);
  if (!type.InstanceType || !architecture) return undefined;
  if (!type.SupportedVirtualizationTypes?.includes('hvm')) return undefined;

  return {
    name: type.InstanceType,
    arch: ARCHITECTURES[architecture] ?? '',
    cpu: formatCell(type.VCpuInfo?.DefaultVCpus),
    memoryMib: formatCell(type.MemoryInfo?.SizeInMiB),
    manufacturer: toLabelValue(type.ProcessorInfo?.Manufacturer),
    clockMhz: clockMhz(type),
    ebsMbps: ebsMbps(type),
    networkMbps: formatCell((facts.networkMbps ?? findSingleCardMbps(type)) || undefined),
    storageGb: type.InstanceStorageSupported ? formatCell(type.InstanceStorageInfo?.TotalSizeInGB) : '',
    gpus: gpus(type),
    accelerators: accelerators(type),
    neuron: neuron(type),
    efa: formatCell(type.NetworkInfo?.EfaInfo?.MaximumEfaInterfaces),
    branchEnis: formatCell(facts.branchEnis || undefined),
    cardEnis: formatCell(cardEnis(type, facts.cardEnis)),
    cards: cards(type),
    ipv4PerEni: formatCell(type.NetworkInfo?.Ipv4AddressesPerInterface),
    hypervisor: type.Hypervisor ?? '',
    traits: traits(type),
    zones,
  };
}

function clockMhz({ ProcessorInfo }: InstanceTypeInfo): string {
  const ghz = ProcessorInfo?.SustainedClockSpeedInGhz;
  return ghz === undefined ? '' : `${Math.round(ghz * 1000)}`;
}

const ebsMbps = ({ EbsInfo }: InstanceTypeInfo): string =>
  EbsInfo?.EbsOptimizedSupport === 'default' ? formatCell(EbsInfo.EbsOptimizedInfo?.MaximumBandwidthInMbps) : '';

// For several cards the API sometimes repeats the total and sometimes splits it, so the bandwidth
// is unknown.
function findSingleCardMbps({ NetworkInfo }: InstanceTypeInfo): number | undefined {
  const [card, ...others] = NetworkInfo?.NetworkCards ?? [];
  const gbps = card?.BaselineBandwidthInGbps;
  return gbps === undefined || others.length > 0 ? undefined : Math.round(gbps * 1000);
}

/** `name:manufacturer:count:memoryMib`, with a comma between kinds. */
const gpus = ({ GpuInfo }: InstanceTypeInfo): string =>
  (GpuInfo?.Gpus ?? [])
    .map(({ Name, Manufacturer, Count, MemoryInfo }) =>
      [toLabelValue(Name), toLabelValue(Manufacturer), Count ?? 0, MemoryInfo?.SizeInMiB ?? 0].join(':'),
    )
    .join(',');

/** `name:manufacturer:count`. Neuron devices come before the older inference description. */
function accelerators({ NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): string {
  const devices = NeuronInfo
    ? (NeuronInfo.NeuronDevices ?? []).map((device) => ({ Manufacturer: 'AWS', ...device }))
    : (InferenceAcceleratorInfo?.Accelerators ?? []);
  return devices
    .map(({ Name, Manufacturer, Count }) => [toLabelValue(Name), toLabelValue(Manufacturer), Count ?? 0].join(':'))
    .join(',');
}

/**
 * `devices:cores`. The cores are those of the first kind of device, as the device plugin counts.
 */
function neuron({ NeuronInfo }: InstanceTypeInfo): string {
  const devices = NeuronInfo?.NeuronDevices ?? [];
  const [first] = devices;
  if (!first) return '';
  const count = devices.reduce((sum, device) => sum + (device.Count ?? 0), 0);
  return `${count}:${(first.Count ?? 0) * (first.CoreInfo?.Count ?? 0)}`;
}

function cardEnis({ NetworkInfo }: InstanceTypeInfo, atLeast = 0): number | undefined {
  const index = NetworkInfo?.DefaultNetworkCardIndex ?? 0;
  const card = NetworkInfo?.NetworkCards?.find((each) => each.NetworkCardIndex === index);
  const limit = card?.MaximumNetworkInterfaces ?? NetworkInfo?.MaximumNetworkInterfaces;
  return limit === undefined ? undefined : Math.max(limit, atLeast);
}

/** Interfaces of each card, in the order of the cards: `8,7`; empty for a single card. */
function cards({ NetworkInfo }: InstanceTypeInfo): string {
  const all = NetworkInfo?.NetworkCards ?? [];
  return all.length > 1 ? all.map(({ MaximumNetworkInterfaces }) => MaximumNetworkInterfaces ?? 0).join(',') : '';
}

/**
 * A letter for each trait: o on-demand, s spot, t in-transit encryption, e enclaves, n NVMe, a
 * enhanced networking, v nested virtualization; placement groups: c cluster, p partition, d spread.
 */
function traits(type: InstanceTypeInfo): string {
  const nvme = type.InstanceStorageInfo?.NvmeSupport;
  const ena = type.NetworkInfo?.EnaSupport;
  const strategies = type.PlacementGroupInfo?.SupportedStrategies;
  const held: readonly (readonly [string, boolean | undefined])[] = [
    ['o', type.SupportedUsageClasses?.includes('on-demand')],
    ['s', type.SupportedUsageClasses?.includes('spot')],
    ['t', type.NetworkInfo?.EncryptionInTransitSupported],
    ['e', type.NitroEnclavesSupport === 'supported'],
    ['n', nvme !== undefined && nvme !== 'unsupported'],
    ['a', ena !== undefined && ena !== 'unsupported'],
    ['v', type.ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization')],
    ['c', strategies?.includes('cluster')],
    ['p', strategies?.includes('partition')],
    ['d', strategies?.includes('spread')],
  ];
  return held.flatMap(([letter, holds]) => (holds ? [letter] : [])).join('');
}
