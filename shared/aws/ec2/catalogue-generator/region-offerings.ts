import { DescribeRegionsCommand, type EC2Client, paginateDescribeInstanceTypeOfferings } from '@aws-sdk/client-ec2';
import { BUNDLED_REGION, EC2_TYPES } from '../../../ec2/catalogue/ec2-types.ts';
import { describeZones } from '../prices/describe-zones.ts';

/** The zones of a region, and which of them offer the sizes of each family. */
interface RegionOfferings {
  readonly zones: readonly string[];
  /** In no order: which zone has which id differs from account to account. */
  readonly zoneIds: readonly string[];
  readonly families: Readonly<Record<string, string>>;
}

/**
 * Reads the offerings of every region that the emulator has besides the bundled one, and formats them as JSON with one line per family.
 *
 * @param source - named in the file, with the day
 */
export async function formatRegionOfferings(
  createClient: (region: string) => EC2Client,
  source: string,
): Promise<string> {
  const regions: [string, RegionOfferings][] = [];
  for (const region of await listRegions(createClient('us-east-1'))) {
    const offerings = await readRegion(createClient(region));
    if (offerings) regions.push([region, offerings]);
  }
  const header = {
    about:
      'Zones that offer the instance types of the bundle, by region and family: the letters of the zones for all sizes, then those of sizes that differ.',
    source: `DescribeInstanceTypeOfferings as served by ${source}`,
    licence: 'moto: Apache-2.0, https://github.com/getmoto/moto',
    generatedOn: new Date().toISOString().slice(0, 10),
  };
  const fields = Object.entries(header).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  const lines = regions.map(([name, region]) => `"${name}": ${formatRegion(region)}`);
  return `{\n${fields.join(',\n')},\n"regions": {\n${lines.join(',\n')}\n}\n}\n`;
}

async function listRegions(ec2: EC2Client): Promise<readonly string[]> {
  const { Regions = [] } = await ec2.send(new DescribeRegionsCommand({ AllRegions: true }));
  return Regions.flatMap(({ RegionName = '' }) => RegionName)
    .filter((name) => name !== BUNDLED_REGION)
    .toSorted();
}

function formatRegion({ zones, zoneIds, families }: RegionOfferings): string {
  const lines = Object.entries(families).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
  return `{\n"zones": ${JSON.stringify(zones)},\n"zoneIds": ${JSON.stringify(zoneIds)},\n"families": {\n${lines.join(',\n')}\n}}`;
}

/** @returns undefined if the emulator has no data of the region */
async function readRegion(ec2: EC2Client): Promise<RegionOfferings | undefined> {
  const zonesByType = await describeZones(ec2);
  const zones = [...new Set([...zonesByType.values()].flat())].toSorted();
  if (zones.length === 0) return undefined;
  const toLetters = (type: string): string => (zonesByType.get(type) ?? []).map((zone) => zone.slice(-1)).join('');
  const byFamily = Map.groupBy(EC2_TYPES, ({ family }) => family);
  const families = [...byFamily].flatMap(([family, types]) => {
    const cell = formatFamily(types.map(({ name, size }) => ({ size, letters: toLetters(name) })));
    return cell === '' ? [] : [[family, cell] as const];
  });
  return { zones, zoneIds: await listZoneIds(ec2), families: Object.fromEntries(families) };
}

/** Formats as `abc metal:ab nano:`, where the first part holds for all sizes that are not named. */
function formatFamily(sizes: readonly { readonly size: string; readonly letters: string }[]): string {
  const counts = Map.groupBy(sizes, ({ letters }) => letters);
  const [[usual] = ['']] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  const others = sizes.filter(({ letters }) => letters !== usual).map(({ size, letters }) => `${size}:${letters}`);
  return [usual, ...others].join(' ');
}

async function listZoneIds(ec2: EC2Client): Promise<readonly string[]> {
  const ids = new Set<string>();
  const pages = paginateDescribeInstanceTypeOfferings(
    { client: ec2, pageSize: 1000 },
    { LocationType: 'availability-zone-id' },
  );
  for await (const { InstanceTypeOfferings = [] } of pages) {
    for (const { Location } of InstanceTypeOfferings) if (Location) ids.add(Location);
  }
  return [...ids].toSorted();
}
