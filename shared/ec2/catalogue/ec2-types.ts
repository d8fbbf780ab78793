import bundle from './data/us-east-1.json' with { type: 'json' };

export type PlacementStrategy = 'cluster' | 'partition' | 'spread';
type Architecture = 'amd64' | 'arm64';

interface Gpus {
  readonly name: string;
  readonly manufacturer: string;
  /** 0 if the type has only a share of a GPU: the device plugin then publishes none. */
  readonly count: number;
  /** Per GPU. */
  readonly memoryMib: number;
}

interface Accelerators {
  readonly name: string;
  readonly manufacturer: string;
  readonly count: number;
}

/** The facts about a type that labels, capacity and offerings depend on. */
export interface Ec2Type {
  readonly name: string;
  /** Before the dot: `m7g`. */
  readonly family: string;
  /** After the dot: `2xlarge`. */
  readonly size: string;
  readonly arch: Architecture;
  readonly cpu: number;
  /** As advertised; the operating system sees less. */
  readonly memoryMib: number;
  readonly cpuManufacturer: string;
  readonly clockMhz: number;
  readonly ebsMbps: number | undefined;
  /** Baseline, not burst. */
  readonly networkMbps: number | undefined;
  /** The instance's own disks together, in decimal GB. */
  readonly storageGb: number | undefined;
  readonly hasNvme: boolean;
  readonly gpus: readonly Gpus[];
  readonly accelerators: readonly Accelerators[];
  readonly neuron: { readonly devices: number; readonly cores: number } | undefined;
  readonly efaInterfaces: number;
  /** Interfaces for pods with their own security groups. */
  readonly branchEnis: number;
  /** Interfaces of the default network card. */
  readonly enis: number;
  /** Interfaces of every network card, in the order of the cards. */
  readonly cards: readonly number[];
  /** Includes the interface's own address. */
  readonly ipv4PerEni: number;
  /** `nitro`, `xen`, or empty for bare metal. */
  readonly hypervisor: string;
  readonly encryptsInTransit: boolean;
  readonly hasEnclaves: boolean;
  /** Enhanced networking, which every interface of a launch template requires. */
  readonly hasEna: boolean;
  readonly nestsVirtualization: boolean;
  /** The placement group strategies that the type supports. */
  readonly placements: readonly PlacementStrategy[];
  readonly isSpot: boolean;
  /** Zones of the region that offer the type, sorted. */
  readonly zones: readonly string[];
}

export const BUNDLED_REGION = bundle.region;
/** Every zone of the region that offers some type. */
const ZONES: readonly string[] = bundle.zones;

const COLUMN = new Map(bundle.columns.map((name, index) => [name, index]));

/** Reads a cell of one row by column. */
type Cells = (column: string) => string;

function splitRow(row: string): Cells {
  const cells = row.split('|');
  return (column) => {
    const cell = cells[COLUMN.get(column) ?? -1];
    if (cell === undefined) throw new Error(`bundled catalogue: no ${column} in "${row}"`);
    return cell;
  };
}

function parseInteger(cells: Cells, column: string): number {
  const amount = Number(cells(column));
  if (Number.isInteger(amount)) return amount;
  throw new Error(`bundled catalogue: ${column} of ${cells('name')} is no integer`);
}

const parseOptionalInteger = (cells: Cells, column: string): number | undefined =>
  cells(column) === '' ? undefined : parseInteger(cells, column);

const splitList = (cell: string): string[][] => (cell === '' ? [] : cell.split(',').map((item) => item.split(':')));

/** Tells if a row has the columns of this release; other releases may store other columns. */
export const isBundleRow = (row: string): boolean => row.split('|').length === COLUMN.size;

/**
 * Parses one row in the columns of the bundle.
 *
 * @throws Error - a cell is missing or not a number
 */
export function readEc2Type(row: string): Ec2Type {
  const cells = splitRow(row);
  const name = cells('name');
  const dot = name.indexOf('.');
  const traits = cells('traits');
  return {
    name,
    family: name.slice(0, dot),
    size: name.slice(dot + 1),
    arch: cells('arch') === 'arm64' ? 'arm64' : 'amd64',
    cpu: parseInteger(cells, 'cpu'),
    memoryMib: parseInteger(cells, 'memoryMib'),
    cpuManufacturer: cells('manufacturer'),
    clockMhz: parseInteger(cells, 'clockMhz'),
    ebsMbps: parseOptionalInteger(cells, 'ebsMbps'),
    networkMbps: parseOptionalInteger(cells, 'networkMbps'),
    storageGb: parseOptionalInteger(cells, 'storageGb'),
    hasNvme: traits.includes('n'),
    gpus: splitList(cells('gpus')).map(toGpus),
    accelerators: splitList(cells('accelerators')).map(toAccelerators),
    neuron: toNeuron(cells('neuron')),
    efaInterfaces: parseInteger(cells, 'efa'),
    branchEnis: parseInteger(cells, 'branchEnis'),
    enis: parseInteger(cells, 'cardEnis'),
    ipv4PerEni: parseInteger(cells, 'ipv4PerEni'),
    cards: toCards(cells),
    hypervisor: cells('hypervisor'),
    encryptsInTransit: traits.includes('t'),
    hasEnclaves: traits.includes('e'),
    hasEna: traits.includes('a'),
    nestsVirtualization: traits.includes('v'),
    placements: PLACEMENTS.flatMap(([letter, strategy]) => (traits.includes(letter) ? [strategy] : [])),
    isSpot: traits.includes('s'),
    zones: [...cells('zones')].flatMap((letter) => ZONES[letter.charCodeAt(0) - 97] ?? []),
  };
}

const PLACEMENTS = [
  ['c', 'cluster'],
  ['p', 'partition'],
  ['d', 'spread'],
] as const;

const toCards = (cells: Cells): number[] =>
  cells('cards') === '' ? [parseInteger(cells, 'cardEnis')] : cells('cards').split(',').map(Number);

const toGpus = ([name = '', manufacturer = '', count, memoryMib]: readonly string[]): Gpus => ({
  name,
  manufacturer,
  count: Number(count),
  memoryMib: Number(memoryMib),
});

const toAccelerators = ([name = '', manufacturer = '', count]: readonly string[]): Accelerators => ({
  name,
  manufacturer,
  count: Number(count),
});

function toNeuron(cell: string): Ec2Type['neuron'] {
  const [devices, cores] = cell.split(':');
  return cores === undefined ? undefined : { devices: Number(devices), cores: Number(cores) };
}

/** Every known type, sorted by name, including types that no zone offers. */
export const EC2_TYPES: readonly Ec2Type[] = bundle.types.map(readEc2Type);

const BY_NAME: ReadonlyMap<string, Ec2Type> = new Map(EC2_TYPES.map((type) => [type.name, type]));

export const findEc2Type = (name: string): Ec2Type | undefined => BY_NAME.get(name);
