import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findNearestZone, findRegionOfZone, REGIONS } from '../../shared/ec2/regions.ts';

/** The SDK does not export its partitions. */
const PARTITIONS = readFileSync(
  'node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js',
  'utf8',
);

describe('the regions', () => {
  it('are those of the AWS SDK', () => {
    const inSdk = PARTITIONS.match(/\b[a-z]{2,5}(?:-[a-z]+)+-\d\b/g);

    expect(REGIONS).toEqual([...new Set(inSdk)].toSorted());
  });

  it.each([
    ['us-east-1a', 'us-east-1'],
    ['us-gov-west-1b', 'us-gov-west-1'],
    ['us-east-1-bos-1a', 'us-east-1'],
    ['us-east-1-wl1-bos-wlz-1', 'us-east-1'],
    ['us-east-1z', undefined],
    ['us-east-1', undefined],
    ['xx-nowhere-1a', undefined],
  ])('contain the zone %s: %s', (zone, region) => {
    expect(findRegionOfZone(zone)).toBe(region);
  });

  it.each([
    ['us-east-1', 'us-east-1a'],
    ['us-eest-1c', 'us-east-1c'],
    ['us-east-1z', 'us-east-1a'],
  ])('have a zone that %s resembles: %s', (written, zone) => {
    expect(findNearestZone(written)).toBe(zone);
  });
});
