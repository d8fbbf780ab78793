import type { LabelValues } from '../../shared/api/runtime-validation/fault.ts';
import { EC2_TYPES } from '../../shared/ec2/catalogue/ec2-types.ts';
import type { RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { findNearestRegion, findNearestZone, findRegionOfZone, isRegion } from '../../shared/ec2/regions.ts';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import { findNearestWord } from '../../shared/model/nearest-word.ts';
import { listLabelValues, listLaunchableTypes } from './bundled-types.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';

/** Labels of instance types with few values, which users write by hand. */
const TYPE_LABELS = ['category', 'family', 'generation', 'size', 'cpu-manufacturer'].map(
  (name) => `${INSTANCE}${name}`,
);

/** The values of labels in the bundled catalogue, and the regions of AWS with their zones. */
export const BUNDLED_VALUES: LabelValues = {
  isKnown(key, value) {
    // A rule about NodePools warns of capacity types already.
    if (key === CAPACITY_TYPE_LABEL) return undefined;
    if (key === REGION_LABEL) return isRegion(value);
    if (key === ZONE_LABEL) return !isRegion(value) && findRegionOfZone(value) !== undefined;
    return listValues(key)?.has(value);
  },
  findNearest(key, value) {
    if (key === REGION_LABEL) return findNearestRegion(value);
    if (key === ZONE_LABEL) return findNearestZone(value);
    if (key === ARCH_LABEL && ARCH_ALIASES.has(value)) return ARCH_ALIASES.get(value);
    return findNearestOfLine(key, value);
  },
};

/** The same for one region: its zones, and no other region. */
export const createRegionValues = ({ region, zones }: RegionCatalogue): LabelValues => ({
  isKnown(key, value) {
    if (key === REGION_LABEL) return value === region;
    if (key === ZONE_LABEL) return zones.includes(value) || value.startsWith(`${region}-`);
    return BUNDLED_VALUES.isKnown(key, value);
  },
  findNearest(key, value) {
    if (key === REGION_LABEL) return region;
    if (key === ZONE_LABEL) return zones.find((zone) => zone.slice(-1) === value.slice(-1)) ?? zones[0];
    return BUNDLED_VALUES.findNearest(key, value);
  },
});

/** Shorter names differ from each other by one letter anyway: `c5`, `m5`. */
const MIN_GUESSED_LENGTH = 3;

/**
 * Finds the nearest value of the same generation and architecture. A generation that does not exist is
 * itself a mistake.
 */
function findNearestOfLine(key: string, value: string): string | undefined {
  if (value.length < MIN_GUESSED_LENGTH) return undefined;
  const line = lineOf(value);
  const all = [...(listValues(key) ?? [])];
  const isReal = all.some((other) => lineOf(other).generation === line.generation);
  const isSame = (other: string): boolean => lineOf(other).text === line.text;
  return findNearestWord(value, isReal ? all.filter(isSame) : all);
}

/** `m6gd.large` is of generation 6 and, by its g, of Graviton; `xlarge` has no generation. */
function lineOf(value: string): { readonly generation?: string; readonly text: string } {
  const [, generation, traits = ''] = /^[a-z]{1,3}(\d+)([a-z-]*)(?:\.|$)/.exec(value) ?? [];
  if (generation === undefined) return { text: '' };
  return { generation, text: `${generation}${traits.startsWith('g') ? 'g' : ''}` };
}

/** Names of architectures outside of Go and Kubernetes. */
const ARCH_ALIASES: ReadonlyMap<string, string> = new Map([
  ['x86', 'amd64'],
  ['arm', 'arm64'],
  ['x86_64', 'amd64'],
  ['x86-64', 'amd64'],
  ['x64', 'amd64'],
  ['aarch64', 'arm64'],
]);

const valuesByKey = new Map<string, ReadonlySet<string> | undefined>();

const listValues = (key: string): ReadonlySet<string> | undefined =>
  getOrCreate(valuesByKey, key, () => readValues(key));

/** Labels whose values never grow with new instance types or zones. */
const FIXED_VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [ARCH_LABEL, new Set(['amd64', 'arm64'])],
  [OS_LABEL, new Set(['linux', 'windows'])],
  [CAPACITY_TYPE_LABEL, new Set(['on-demand', 'reserved', 'spot'])],
]);

function readValues(key: string): ReadonlySet<string> | undefined {
  const fixed = FIXED_VALUES.get(key);
  if (fixed) return fixed;
  if (key === INSTANCE_TYPE_LABEL) return new Set(EC2_TYPES.map(({ name }) => name));
  if (!TYPE_LABELS.includes(key)) return undefined;
  return new Set(listLaunchableTypes().flatMap((type) => [...(listLabelValues(type).get(key)?.values ?? [])]));
}
