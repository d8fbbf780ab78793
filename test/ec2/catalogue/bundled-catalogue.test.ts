import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBundledCatalogue } from '../../../shared/ec2/catalogue/bundled-catalogue.ts';
import { EC2_TYPES } from '../../../shared/ec2/catalogue/ec2-types.ts';
import type { SimCatalogue } from '../../../shared/simulation/world.ts';
import { aNodeClass, aNodePool } from '../../support/builders.ts';

const catalogue = createBundledCatalogue(() => aNodeClass());

describe('the bundled catalogue', () => {
  it('fits the simulation', () => {
    const taken: SimCatalogue = catalogue;

    expect([taken.region, taken.zones]).toEqual(['us-east-1', ['us-east-1a', 'us-east-1b', 'us-east-1c']]);
  });

  it('gives pools with the same NodeClass the same list', () => {
    const list = catalogue.instanceTypesOf(aNodePool({ name: 'a' }));

    expect(catalogue.instanceTypesOf(aNodePool({ name: 'b' }))).toBe(list);
  });

  it('leaves out types that no zone of the region offers', () => {
    const names = catalogue.instanceTypesOf(aNodePool()).map(({ name }) => name);

    expect(names).toHaveLength(1360);
    expect(names.filter((name) => /^(g4ad|p5e|hpc7a|mac2?)\./.test(name))).toEqual([]);
  });

  it('gives a pool without NodeClass no types', () => {
    expect(createBundledCatalogue(() => undefined).instanceTypesOf(aNodePool())).toEqual([]);
  });

  it.each([
    ['m5.large', ['us-east-1a', 'us-east-1b', 'us-east-1c']],
    ['c3.large', ['us-east-1a', 'us-east-1b', 'us-east-1c']],
    ['g4ad.xlarge', []],
    ['c98.large', []],
  ])('offers %s in %j', (name, zones) => {
    expect(catalogue.zonesOf(name)).toEqual(zones);
  });

  it('offers types only in the zones of the cluster', () => {
    const elsewhere = createBundledCatalogue(() => aNodeClass(), ['us-east-1f']);

    expect(elsewhere.zonesOf('m5.large')).toEqual(['us-east-1f']);
    expect(elsewhere.zonesOf('a1.large')).toEqual([]);
  });

  it.each([
    ['m5.large', true],
    ['u-6tb1.112xlarge', false],
    ['c98.large', false],
  ])('sells %s as spot: %s', (name, isSpot) => {
    expect(catalogue.isSpot(name)).toBe(isSpot);
  });
});

describe('modelled spot prices', () => {
  const spotTypes = EC2_TYPES.filter(({ name, isSpot }) => isSpot && catalogue.onDemandUsd(name) !== undefined);
  const anySpotType = fc.constantFrom(...spotTypes);
  const anyZone = fc.constantFrom('us-east-1a', 'us-east-1b', 'us-east-1c');

  it('lie 55 to 75 % below on-demand', () => {
    fc.assert(
      fc.property(anySpotType, anyZone, ({ name }, zone) => {
        const share = (catalogue.spotUsd(name, zone) ?? 0) / (catalogue.onDemandUsd(name) ?? 0);
        expect(share).toBeGreaterThanOrEqual(0.2499);
        expect(share).toBeLessThanOrEqual(0.4501);
      }),
    );
  });

  it('differ between zones', () => {
    const same = spotTypes.filter(
      ({ name }) => catalogue.spotUsd(name, 'us-east-1a') === catalogue.spotUsd(name, 'us-east-1b'),
    );

    expect(same).toEqual([]);
  });

  it('are the same in every run', () => {
    expect(catalogue.zones.map((zone) => catalogue.spotUsd('m7g.2xlarge', zone))).toEqual([
      0.126471, 0.115813, 0.115598,
    ]);
  });

  it.each(['u-6tb1.112xlarge', 'c98.large', 'r9g.large'])('are undefined for %s', (name) => {
    expect(catalogue.spotUsd(name, 'us-east-1a')).toBeUndefined();
  });
});
