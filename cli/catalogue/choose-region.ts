import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { BUNDLED_REGION } from '../../shared/ec2/catalogue/ec2-types.ts';
import { findBundledCatalogue, type RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { findPricingApi } from '../../shared/ec2/pricing-apis.ts';
import { formatFirst } from '../../shared/model/explanations/phrases.ts';
import type { ZoneIds } from '../../shared/model/offerings/zones.ts';
import { type CliError, fail } from '../errors.ts';
import {
  listNamedLocations,
  listNamedZoneIds,
  listZoneIdWarnings,
  type NamedLocation,
} from '../manifests/manifest-region.ts';
import type { Io } from '../terminal/io.ts';
import { readCatalogueFile } from './read-catalogue.ts';

/** The flags that choose a region and what is known about it. */
export interface RegionFlags {
  readonly region?: string | undefined;
  /** A file of `mortise catalogue`. */
  readonly catalogue?: string | undefined;
}

/** The region that manifests are simulated in. */
export interface SimulatedRegion {
  readonly catalogue: RegionCatalogue;
  /** Zones of the cluster's subnets. */
  readonly zones: readonly string[];
  readonly zoneIds: ZoneIds;
  /** Sentences about contradictions and about what is not known. */
  readonly warnings: readonly string[];
}

/**
 * Chooses the region of the flags, else the first one that the manifests name, else us-east-1. Its zones are
 * the first three, and those that are named.
 *
 * @throws CliError - `no-catalogue`: nothing is known about the region; `bad-value`: the flags contradict each
 *   other; those of `readCatalogueFile`
 */
export async function chooseSimulatedRegion(
  manifests: ClusterManifests,
  flags: RegionFlags,
  io: Pick<Io, 'cwd'>,
): Promise<SimulatedRegion> {
  return toSimulatedRegion(manifests, flags.region, await readCatalogueOf(flags, io));
}

/** @throws CliError - `bad-value`: the file is of another region than `--region` */
export async function readCatalogueOf(
  { region, catalogue: file }: RegionFlags,
  io: Pick<Io, 'cwd'>,
): Promise<RegionCatalogue | undefined> {
  if (file === undefined) return undefined;
  const catalogue = await readCatalogueFile(file, io);
  if (region === undefined || region === catalogue.region) return catalogue;
  throw fail({
    code: 'bad-value',
    what: `${file} is of ${catalogue.region}, not of ${region}`,
    where: '--catalogue',
    why: 'every region has types and zones of its own',
    fix: `--region ${catalogue.region}, or another file`,
  });
}

/**
 * Finds the catalogue that the flags name; undefined without flags.
 *
 * @throws CliError - `no-catalogue`; those of `readCatalogueOf`
 */
export async function chooseCatalogue(flags: RegionFlags, io: Pick<Io, 'cwd'>): Promise<RegionCatalogue | undefined> {
  const given = await readCatalogueOf(flags, io);
  if (given || flags.region === undefined) return given;
  const catalogue = findBundledCatalogue(flags.region);
  if (catalogue) return catalogue;
  throw refuseUnknownRegion(flags.region, '--region');
}

/** @throws CliError - `no-catalogue` */
export function toSimulatedRegion(
  manifests: ClusterManifests,
  flag?: string,
  given?: RegionCatalogue,
): SimulatedRegion {
  const locations = listNamedLocations(manifests);
  const ids = listNamedZoneIds(manifests);
  const region = given?.region ?? flag ?? locations[0]?.region ?? ids[0]?.region ?? BUNDLED_REGION;
  const catalogue = given ?? findBundledCatalogue(region);
  if (!catalogue) {
    throw refuseUnknownRegion(region, flag === undefined ? (locations[0]?.object ?? '-f') : '--region');
  }
  const named = [...locations, ...ids].flatMap(({ zone }) => zone ?? []);
  const inRegion = catalogue.zones.filter((zone) => named.includes(zone));
  const zones = [...new Set([...catalogue.zones.slice(0, USUAL_ZONES), ...inRegion])].toSorted();
  const zoneIds = Object.fromEntries(Object.entries(catalogue.zoneIds).filter(([zone]) => zones.includes(zone)));
  return {
    ...{ catalogue, zones, zoneIds },
    warnings: [
      ...listContradictions(locations, catalogue),
      ...listPriceWarnings(catalogue),
      ...listZoneIdWarnings(manifests, { region, zoneIds }),
    ],
  };
}

/** As many zones as a cluster usually has subnets in. */
const USUAL_ZONES = 3;

/** The error for a region about which nothing is known. */
export const refuseUnknownRegion = (region: string, where: string): CliError =>
  fail({
    code: 'no-catalogue',
    what: `no zones and instance types of ${region} are bundled`,
    where,
    why: 'those of another region would be wrong',
    fix: `\`${toCommand(region)}\`, then --catalogue ${region}.json`,
  });

/** GovCloud has no price list; that of the standard partition has its prices. */
const toCommand = (region: string): string =>
  `mortise catalogue --region ${region} --profile PROFILE${findPricingApi(region) ? '' : ' --price-list-profile PROFILE'} --out ${region}.json`;

/** Says what cannot be known: prices, or their currency. */
export function listPriceWarnings({ region, prices, source }: RegionCatalogue): readonly string[] {
  if (!prices) {
    const why = source === 'bundled' ? 'are bundled' : 'are in the catalogue';
    return [
      `not priced: no prices of ${region} ${why}; plans compare types by vCPU and memory, and consolidation removes nodes but never replaces one. \`${toCommand(region)}\` reads prices`,
    ];
  }
  return prices.currency === 'USD'
    ? []
    : [`prices of ${region} are in ${prices.currency}, although they are shown with $`];
}

/** Names objects in other regions, and zones that the region does not have: nothing launches there. */
function listContradictions(
  locations: readonly NamedLocation[],
  { region, zones }: RegionCatalogue,
): readonly string[] {
  const elsewhere = locations.filter((location) => location.region !== region);
  const missing = locations.filter(
    ({ zone, ...location }) =>
      location.region === region && zone !== undefined && !isLocal(zone) && !zones.includes(zone),
  );
  return [
    ...group(elsewhere, (names, objects) => `${objects}: ${names} is not in ${region}, which is simulated`),
    ...group(
      missing,
      (names, objects) => `${objects}: ${names} is no zone of ${region}, which has ${zones.join(', ')}`,
    ),
  ];
}

/** Local zones are not bundled: `us-east-1-bos-1a`. */
const isLocal = (zone: string): boolean => /-\d+-[a-z]+-\d+[a-z]$/.test(zone);

const MAX_OBJECTS = 3;

const group = (
  locations: readonly NamedLocation[],
  toText: (name: string, objects: string) => string,
): readonly string[] =>
  [...Map.groupBy(locations, ({ zone, region }) => zone ?? region)].map(([name, equal]) => {
    const objects = [...new Set(equal.map(({ object }) => object))];
    return toText(name, formatFirst(objects, MAX_OBJECTS));
  });
