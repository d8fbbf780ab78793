import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promises as fs } from 'node:fs';
import { createServer } from 'node:net';
import { promises as timers } from 'node:timers';
import { parseArgs } from 'node:util';
import { EC2Client, type InstanceTypeInfo, paginateDescribeInstanceTypes } from '@aws-sdk/client-ec2';
import { describeZones } from '../prices/describe-zones.ts';
import { findUnexplainedChanges, findUnexplainedRemovals } from './accepted-changes.ts';
import { formatBundle, toZoneLetters } from './bundle.ts';
import { type BundleChanges, compareBundles, formatChange } from './compare-bundles.ts';
import { formatKnownTypes, parseKnownTypes } from './known-types.ts';
import { type FindNetworkFacts, parseBandwidth, parseBundled, parseVpcLimits } from './network-facts.ts';
import { reduceType } from './reduce-type.ts';
import { formatRegionOfferings } from './region-offerings.ts';
import { UNLISTED_TYPES } from './unlisted-types.ts';

interface Emulator {
  readonly endpoint: string;
  stop(): void;
}

const COMMAND = 'moto_server';
const START_TIMEOUT_MS = 30_000;

/**
 * Starts `moto_server` from PATH on a free port of the loopback interface.
 *
 * @throws Error - it is not installed, or does not start in time
 */
async function startEmulator(): Promise<Emulator> {
  const port = await findFreePort();
  const server = spawn(COMMAND, ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([waitUntilReady(endpoint), rejectOnExit(server)]);
  } catch (cause) {
    server.kill();
    throw new Error("moto_server did not start: pip install 'moto[server,ec2]==5.2.5'", { cause });
  }
  return { endpoint, stop: () => void server.kill() };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port on the loopback');
  return address.port;
}

async function rejectOnExit(server: ChildProcess): Promise<never> {
  await once(server, 'exit');
  throw new Error('moto_server ended');
}

async function waitUntilReady(endpoint: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    await timers.setTimeout(200);
  }
  throw new Error(`nothing answers at ${endpoint}`);
}

/**
 * Writes the bundled instance types, `shared/ec2/catalogue/data/us-east-1.json`, and the offerings of the other
 * regions, `regions.json`, from the data of an EC2 emulator and prints the changes: `npm run catalog --
 * [--check] [--bandwidth FILE] [--vpc-limits FILE]`.
 *
 * Uses the endpoint in AWS_ENDPOINT_URL_EC2, or starts `moto_server` from PATH: `pip install
 * 'moto[server,ec2]==5.2.5'`. Facts that the API lacks (ambiguous network bandwidth, branch
 * interfaces) come from the two files, otherwise from the previous catalogue. With `--check`
 * nothing is written, and the exit code is 1 if something would change.
 */

const EMULATOR = 'moto 5.2.5';
const REGION = 'us-east-1';
const DATA = '../../../ec2/catalogue/data';
const FILE = new URL(`${DATA}/${REGION}.json`, import.meta.url);
const REGION_FILE = new URL(`${DATA}/regions.json`, import.meta.url);
const KNOWN = new URL(`${DATA}/known-types.json`, import.meta.url);

const { values: options } = parseArgs({
  options: {
    bandwidth: { type: 'string' },
    'vpc-limits': { type: 'string' },
    check: { type: 'boolean' },
  },
});

async function readJson(file: string | URL): Promise<unknown> {
  return JSON.parse(await fs.readFile(file, 'utf8'));
}

// There is no previous file on the first run.
const readLastBundle = (): Promise<unknown> => readJson(FILE).catch(() => ({ columns: [], types: [] }));
const readKnownTypes = (): Promise<unknown> => readJson(KNOWN).catch(() => ({ families: {} }));

async function loadNetworkFacts(): Promise<FindNetworkFacts> {
  const last = parseBundled(await readLastBundle());
  const bandwidth = options.bandwidth ? parseBandwidth(await readJson(options.bandwidth)) : new Map<string, number>();
  const limits = options['vpc-limits'] ? parseVpcLimits(await readJson(options['vpc-limits'])) : last;

  return (name) => ({
    ...limits.get(name),
    networkMbps: bandwidth.get(name) ?? last.get(name)?.networkMbps,
  });
}

/** The emulator accepts any key. This script never calls AWS. */
const createClient = (endpoint: string, region: string): EC2Client =>
  new EC2Client({
    ...{ endpoint, region },
    credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
  });

async function buildBundle(endpoint: string): Promise<string> {
  const ec2 = createClient(endpoint, REGION);
  const [listed, zonesByType, findFacts] = [
    await describeTypes(ec2),
    await describeZones(ec2),
    await loadNetworkFacts(),
  ];
  const zones = [...new Set([...zonesByType.values()].flat())].toSorted();
  const rows = [...listed, ...UNLISTED_TYPES].flatMap((type) => {
    const name = type.InstanceType ?? '';
    const row = reduceType(type, toZoneLetters(zonesByType.get(name) ?? [], zones), findFacts(name));
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
  return formatBundle(header, rows);
}

/**
 * @throws Error - types would disappear or change in size without an accepted reason
 */
async function generate(endpoint: string): Promise<BundleChanges> {
  const text = await buildBundle(endpoint);
  const changes = compareBundles(await readLastBundle(), JSON.parse(text));
  const unexplainedRemovals = findUnexplainedRemovals(changes.vanished);
  if (unexplainedRemovals.length > 0) {
    throw new Error(
      `${unexplainedRemovals.join(' ')}: missing. If the source is ${EMULATOR}, list them in accepted-changes.ts`,
    );
  }
  const changed = findUnexplainedChanges(changes.changed);
  if (changed.length > 0) {
    throw new Error(`${changed.join('; ')}. If the source is ${EMULATOR}, list them in accepted-changes.ts`);
  }
  if (!options.check) {
    const names = parseBundled(JSON.parse(text)).keys();
    await fs.writeFile(FILE, text);
    await fs.writeFile(KNOWN, formatKnownTypes([...parseKnownTypes(await readKnownTypes()), ...names]));
    await fs.writeFile(REGION_FILE, await formatRegionOfferings((region) => createClient(endpoint, region), EMULATOR));
  }
  return changes;
}

const formatChanges = ({ added, vanished, changed }: BundleChanges): readonly string[] => [
  ...added.map((name) => `+ ${name}`),
  ...vanished.map((name) => `- ${name}`),
  ...changed.map((change) => `~ ${formatChange(change)}`),
  `${added.length} added, ${vanished.length} vanished, ${changed.length} changed`,
];

const endpointOverride = process.env.AWS_ENDPOINT_URL_EC2;
const emulator = endpointOverride ? { endpoint: endpointOverride, stop: () => {} } : await startEmulator();
try {
  const changes = await generate(emulator.endpoint);
  process.stdout.write(`${formatChanges(changes).join('\n')}\n`);
  const { added, vanished, changed } = changes;
  if (options.check && added.length + vanished.length + changed.length > 0) process.exitCode = 1;
} finally {
  emulator.stop();
}

/**
 * Returns every type of the region, unfiltered; `reduceType` selects. (The emulator's filters lose
 * types that list more than one architecture.)
 *
 * @throws EC2ServiceException - EC2 does not answer, or refuses a page
 */
async function describeTypes(ec2: EC2Client): Promise<InstanceTypeInfo[]> {
  const all: InstanceTypeInfo[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 100 }, {})) {
    all.push(...(page.InstanceTypes ?? []));
  }
  return all;
}
