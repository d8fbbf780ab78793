import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DescribeInstanceTypeOfferingsCommand, DescribeSpotPriceHistoryCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { askMarket, type LiveMarket } from '../../../cli/catalogue/ask-region.ts';
import { hasCredentials } from '../../../cli/cluster/aws-flags.ts';
import { findSoldTypes } from '../../../cli/instance-types/instance-types.ts';
import type { Io } from '../../../cli/terminal/io.ts';
import { NOON } from '../../support/builders.ts';
import { aFolder } from '../call.ts';

const ioOf = (env: Io['env'] = {}): Io => ({
  stdin: Readable.from([]),
  stdout: { write: () => true },
  stderr: { write: () => true },
  env,
  cwd: '.',
});
const WITH_KEYS = ioOf({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' });
const REGION = { region: 'eu-west-1' };
const RECORD = {
  at: NOON,
  zones: { 'm7g.large': ['eu-west-1a'] },
  newer: [],
  onDemandUsd: { 'm7g.large': 0.1 },
  spotUsd: { 'eu-west-1a': { 'm7g.large': 0.03 } },
};

const sold = (io: Io, market: LiveMarket = { record: RECORD, failures: [] }) =>
  findSoldTypes(REGION, io, async () => market);

describe('the types that are sold in a region', () => {
  it('come from EC2 if there are credentials', async () => {
    const { sold: live, warnings } = await sold(WITH_KEYS);

    expect(live).toMatchObject({
      region: 'eu-west-1',
      source: 'ec2',
      zones: ['eu-west-1a'],
      prices: { asOf: '2026-01-01', currency: 'USD' },
    });
    expect(live.zonesOf('m7g.large')).toEqual(['eu-west-1a']);
    expect(live.zonesOf('m7g.xlarge')).toEqual([]);
    expect(live.prices?.onDemandUsd('m7g.large')).toBe(0.1);
    expect(live.spotUsd?.('m7g.large', 'eu-west-1a')).toBe(0.03);
    expect(warnings).toEqual([]);
  });

  it('come from the bundled catalogue without credentials, with a warning', async () => {
    const { sold: bundled, warnings } = await sold(ioOf());

    expect(bundled.zonesOf('m7g.large')).toContain('eu-west-1a');
    expect(bundled.source).toBe('bundled');
    expect(bundled.prices).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining('not priced: no prices of eu-west-1 are bundled'),
      'zones are those of one account: EC2 was not asked',
    ]);
  });

  it('come from the bundled catalogue if EC2 does not answer, with the reason', async () => {
    const { sold: bundled, warnings } = await sold(WITH_KEYS, { failures: ['no route to host'] });

    expect(bundled.source).toBe('bundled');
    expect(warnings[0]).toBe('not told by AWS: no route to host');
    expect(warnings.at(-1)).toContain('EC2 did not answer');
  });

  it('are not priced if the price list is empty, but keep their spot prices', async () => {
    const record = { ...RECORD, onDemandUsd: {} };
    const { sold: live, warnings } = await sold(WITH_KEYS, { record, failures: ['AccessDenied'] });

    expect(live.prices).toBeUndefined();
    expect(live.spotUsd?.('m7g.large', 'eu-west-1a')).toBe(0.03);
    expect(warnings).toEqual([
      'not told by AWS: AccessDenied',
      expect.stringContaining('no prices of eu-west-1 are in the catalogue'),
    ]);
  });

  it('are refused for a region that is not bundled, if EC2 is not asked or does not answer', async () => {
    const gov = { region: 'us-gov-west-1' };
    const nothing = async (): Promise<LiveMarket> => ({ failures: ['no route to host'] });

    await expect(findSoldTypes(gov, ioOf(), nothing)).rejects.toThrow('us-gov-west-1');
    await expect(findSoldTypes(gov, WITH_KEYS, nothing)).rejects.toThrow('us-gov-west-1');
  });
});

describe('hasCredentials', () => {
  it.each(['credentials', 'config'])('is true if ~/.aws/%s exists', async (file) => {
    const HOME = await aFolder();
    expect(hasCredentials(ioOf({ HOME }), {})).toBe(false);

    await mkdir(join(HOME, '.aws'));
    await writeFile(join(HOME, '.aws', file), '');

    expect(hasCredentials(ioOf({ HOME }), {})).toBe(true);
  });

  it('is true if a profile is given', () => {
    expect(hasCredentials(ioOf(), { profile: 'dev' })).toBe(true);
  });
});

describe('a query to EC2', () => {
  function clients() {
    const ec2 = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
    const pricing = new PricingClient({ region: 'us-east-1', maxAttempts: 1 });
    const stub = mockClient(ec2);
    stub.on(DescribeInstanceTypeOfferingsCommand).resolves({
      InstanceTypeOfferings: [{ InstanceType: 'm7g.large', Location: 'us-east-1a' }],
    });
    stub.on(DescribeSpotPriceHistoryCommand).resolves({});
    return { ec2, pricing, list: mockClient(pricing) };
  }

  it('returns the parts that answered and the failures', async () => {
    const { ec2, pricing, list } = clients();
    list.on(GetProductsCommand).rejects(new Error('AccessDeniedException'));

    const { record, failures } = await askMarket({ ec2, pricing }, 'us-east-1');

    expect(record?.zones).toEqual({ 'm7g.large': ['us-east-1a'] });
    expect(failures).toContain('AccessDeniedException');
  });

  it('skips the price list in an isolated VPC', async () => {
    const { ec2, list } = clients();

    const { record } = await askMarket({ ec2 }, 'us-east-1');

    expect(record?.onDemandUsd).toEqual({});
    expect(list.calls()).toEqual([]);
  });
});
