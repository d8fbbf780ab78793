import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import type { CatalogueRequest, RegionAnswers } from '../../../cli/catalogue/ask-region.ts';
import { describeZoneIds } from '../../../cli/catalogue/ask-region.ts';
import { readCatalogueFile } from '../../../cli/catalogue/read-catalogue.ts';
import { writeCatalogue } from '../../../cli/catalogue/write-catalogue.ts';
import { createPricingClient } from '../../../cli/cluster/pricing-client.ts';
import type { Invocation } from '../../../cli/invocation.ts';
import { NOON } from '../../support/builders.ts';
import { aFolder } from '../call.ts';

const ANSWERS: RegionAnswers = {
  record: {
    at: NOON,
    zones: { 'm7g.large': ['eu-north-1a', 'eu-north-1b'] },
    newer: [],
    onDemandUsd: { 'm7g.large': 0.0868 },
    spotUsd: { 'eu-north-1a': { 'm7g.large': 0.03 } },
  },
  failures: [],
  zoneIds: { 'eu-north-1a': 'eun1-az1', 'eu-north-1b': 'eun1-az2' },
};

async function write(over: Partial<CatalogueRequest> = {}, answers: RegionAnswers = ANSWERS) {
  const cwd = await aFolder();
  const io = {
    stdin: Readable.from([]),
    stdout: { write: () => true },
    stderr: { write: () => true },
    env: {},
    cwd,
  };
  const invocation = {
    io,
    progress: { report: () => undefined, end: () => undefined },
  } as unknown as Invocation;
  const request = { region: 'eu-north-1', force: false, ...over };
  const answer = await writeCatalogue(request, invocation, async () => answers);
  return { answer, cwd };
}

describe('mortise catalogue', () => {
  it('writes a file that other commands read: types, zones, ids and prices', async () => {
    const { answer, cwd } = await write();

    expect(answer).toMatchObject({
      complete: true,
      warnings: [],
      result: { file: 'eu-north-1.json', types: 1, onDemandPrices: 1, spotPrices: 1 },
    });
    const catalogue = await readCatalogueFile('eu-north-1.json', { cwd });
    expect(catalogue).toMatchObject({
      region: 'eu-north-1',
      zones: ['eu-north-1a', 'eu-north-1b'],
      zoneIds: ANSWERS.zoneIds,
    });
    expect(catalogue.prices?.onDemandUsd('m7g.large')).toBe(0.0868);
    expect(catalogue.spotUsd?.('m7g.large', 'eu-north-1a')).toBe(0.03);
  });

  it('packs a file whose name ends with .gz, as the bucket of a stack has it', async () => {
    const { cwd } = await write({ out: 'market.json.gz' });

    const bytes = await readFile(join(cwd, 'market.json.gz'));
    expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    expect((await readCatalogueFile('market.json.gz', { cwd })).region).toBe('eu-north-1');
  });

  it('says what AWS did not tell, and is then incomplete', async () => {
    const { record } = ANSWERS;
    const { answer } = await write(
      {},
      {
        ...ANSWERS,
        ...(record && { record: { ...record, onDemandUsd: {} } }),
        failures: ['AccessDenied'],
      },
    );

    expect(answer.complete).toBe(false);
    expect(answer.warnings).toEqual([
      'not told by AWS: AccessDenied',
      expect.stringContaining('not priced: no prices of eu-north-1 are in the catalogue'),
    ]);
  });

  it('fails if EC2 does not return the zones, and writes nothing', async () => {
    const { record: _, ...nothing } = ANSWERS;

    await expect(write({}, { ...nothing, failures: ['no route to host'] })).rejects.toThrow(
      'EC2 did not return the zones of eu-north-1',
    );
  });

  it('asks the price list of the standard partition for GovCloud, with a profile of its own', async () => {
    const gov = { region: 'us-gov-west-1', profile: 'gov' };

    expect(createPricingClient(gov, {})).toEqual({});
    const { pricing } = createPricingClient({ ...gov, priceListProfile: 'dev' }, {});
    expect(await pricing?.config.region()).toBe('us-east-1');
  });

  it('reads the ids of zones', async () => {
    const client = new EC2Client({ region: 'eu-north-1', maxAttempts: 1 });
    mockClient(client)
      .on(DescribeAvailabilityZonesCommand)
      .resolves({ AvailabilityZones: [{ ZoneName: 'eu-north-1a', ZoneId: 'eun1-az2' }, {}] });

    expect(await describeZoneIds(client)).toEqual({ 'eu-north-1a': 'eun1-az2' });
  });
});
