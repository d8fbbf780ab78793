/**
 * Writes `shared/catalogue/data/us-east-1.json`, the instance types that come with the product, from
 * what an EC2 emulator knows: `npm run catalogue -- [--bandwidth FILE] [--vpc-limits FILE]`.
 *
 * Asks the endpoint in AWS_ENDPOINT_URL_EC2, or starts `moto_server` found on PATH:
 * `pip install 'moto[server,ec2]==5.2.5'`. What the API does not tell (network bandwidth where it is
 * ambiguous, branch interfaces) comes from the two files, else from the last written catalogue.
 */
import { promises as fs } from 'node:fs';
import { parseArgs } from 'node:util';
import { EC2Client } from '@aws-sdk/client-ec2';
import { formatBundle, zoneLetters } from './bundle.ts';
import { describeTypes } from './describe-types.ts';
import { describeZones } from './describe-zones.ts';
import { startEmulator } from './emulator.ts';
import type { NetworkFactsOf } from './network-facts.ts';
import { parseBandwidth, parseBundled, parseVpcLimits } from './network-facts.ts';
import { reduceType } from './reduce-type.ts';
import { UNLISTED_TYPES } from './unlisted-types.ts';

const EMULATOR = 'moto 5.2.5';
const REGION = 'us-east-1';
const FILE = new URL(`../../catalogue/data/${REGION}.json`, import.meta.url);

async function readJson(file: string | URL): Promise<unknown> {
  return JSON.parse(await fs.readFile(file, 'utf8'));
}

/** An older emulator knows fewer types: it must not take away what a newer one has given. */
async function writeBundle(text: string, types: number): Promise<void> {
  const before = parseBundled(await lastBundle()).size;
  if (types < before * 0.98) {
    throw new Error(`only ${types} types, ${before} before: is the emulator ${EMULATOR}?`);
  }
  await fs.writeFile(FILE, text);
}

// The first run has none.
const lastBundle = (): Promise<unknown> => readJson(FILE).catch(() => ({ columns: [], types: [] }));

async function networkFacts(): Promise<NetworkFactsOf> {
  const { values } = parseArgs({
    options: { bandwidth: { type: 'string' }, 'vpc-limits': { type: 'string' } },
  });
  const last = parseBundled(await lastBundle());
  const bandwidth = values.bandwidth
    ? parseBandwidth(await readJson(values.bandwidth))
    : new Map<string, number>();
  const limits = values['vpc-limits'] ? parseVpcLimits(await readJson(values['vpc-limits'])) : last;

  return (name) => ({
    ...limits.get(name),
    networkMbps: bandwidth.get(name) ?? last.get(name)?.networkMbps,
  });
}

async function generate(endpoint: string): Promise<number> {
  // The emulator takes any key; AWS itself is never asked here.
  const credentials = { accessKeyId: 'emulator', secretAccessKey: 'emulator' };
  const ec2 = new EC2Client({ endpoint, region: REGION, credentials });
  const [listed, zonesByType, factsOf] = [
    await describeTypes(ec2),
    await describeZones(ec2),
    await networkFacts(),
  ];
  const zones = [...new Set([...zonesByType.values()].flat())].toSorted();
  const rows = [...listed, ...UNLISTED_TYPES].flatMap((type) => {
    const name = type.InstanceType ?? '';
    const row = reduceType(type, zoneLetters(zonesByType.get(name) ?? [], zones), factsOf(name));
    return row ? [row] : [];
  });
  const header = {
    about: 'Facts about EC2 instance types: MiB, MHz, Mbit/s, decimal GB; empty where unknown.',
    source: `DescribeInstanceTypes and DescribeInstanceTypeOfferings as served by ${EMULATOR}`,
    licence: 'moto: Apache-2.0, https://github.com/getmoto/moto',
    generatedOn: new Date().toISOString().slice(0, 10),
    region: REGION,
    zones,
  };
  await writeBundle(formatBundle(header, rows), rows.length);
  return rows.length;
}

const given = process.env.AWS_ENDPOINT_URL_EC2;
const emulator = given ? { endpoint: given, stop: () => {} } : await startEmulator();
try {
  process.stdout.write(`${await generate(emulator.endpoint)} instance types written\n`);
} finally {
  emulator.stop();
}
