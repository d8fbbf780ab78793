import { BUNDLED_REGION, type Ec2Type, findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import { findOnDemandUsd } from '../../../ec2/catalogue/on-demand-prices.ts';
import { weighType } from '../../../ec2/catalogue/type-weight.ts';
import { getOrCreate } from '../../../model/memo.ts';
import { RESERVED_SHARE_OF_PRICE } from '../../../model/nodes/node-claim.ts';
import { isExpiring, type NodeReservation } from '../../../model/nodes/resolved-node-class.ts';
import type { Commitment } from '../../../model/offerings/commitment.ts';
import type { Offering } from '../../../model/offerings/instance-type.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { SpotPrices } from './spot-price-history.ts';

/** The offerings and prices of EC2 for the cluster. */
export interface PriceList {
  /** Returns the type's offerings, on-demand first; always the same list object. */
  offeringsOf(instanceType: string): readonly Offering[];
  /**
   * Returns all offerings of the type at a price that an overlay sets; always the same list object.
   */
  offeringsAt(instanceType: string, hourlyUsd: number): readonly Offering[];
  /** Types that are newer than this release; undefined if none are known. */
  readonly newer?: readonly Ec2Type[];
  /** No on-demand price of the region is known: every `hourlyUsd` is a weight, see `weighType`. */
  readonly unpriced?: true;
  /** Reserved instances of the account; undefined if they are not read. */
  readonly commitments?: readonly Commitment[];
}

/** USD per hour (CNY in China); undefined if the type is not sold on demand. */
export type OnDemandPrices = (instanceType: string) => number | undefined;

/** Returns the bundled prices of the region; undefined for a region without any. */
export const findBundledPrices = (region: string): OnDemandPrices | undefined =>
  region === BUNDLED_REGION ? findOnDemandUsd : undefined;

export interface PriceListParts {
  /** Zones of the cluster that offer the type. */
  readonly zonesOf: (instanceType: string) => readonly string[];
  readonly spotUsd: SpotPrices;
  /**
   * Undefined if no price of the region is known. Weights then stand in for all prices, those of spot
   * offerings too: a price and a weight cannot be compared.
   */
  readonly onDemandUsd: OnDemandPrices | undefined;
  /** Types that are newer than this release. */
  readonly newer?: readonly Ec2Type[];
}

export function createPriceList({ zonesOf, spotUsd, onDemandUsd, newer = [] }: PriceListParts): PriceList {
  const cache = new Map<string, readonly Offering[]>();
  const newerByName = new Map(newer.map((type) => [type.name, type]));
  const find = (name: string): Ec2Type | undefined => findEc2Type(name) ?? newerByName.get(name);

  function weigh(instanceType: string): number | undefined {
    const type = find(instanceType);
    return type && weighType(type);
  }

  /** Spot costs at most as much as on demand, so its weight is the same. */
  const weighSpot: SpotPrices = (instanceType, zone) =>
    spotUsd(instanceType, zone) === undefined ? undefined : weigh(instanceType);

  const usdOf = onDemandUsd ?? weigh;
  const spotUsdOf = onDemandUsd ? spotUsd : weighSpot;

  function deriveOfferings(
    instanceType: string,
    usd: number | undefined,
    spotUsdIn: (zone: string) => number | undefined,
  ): readonly Offering[] {
    const isSpot = find(instanceType)?.isSpot ?? false;
    const zones = zonesOf(instanceType);
    return [
      ...zones.flatMap((zone) => toOffering(instanceType, zone, 'on-demand', usd)),
      ...zones.flatMap((zone) => toOffering(instanceType, zone, 'spot', isSpot ? spotUsdIn(zone) : undefined)),
    ];
  }

  function getCached(key: string, make: () => readonly Offering[]): readonly Offering[] {
    return getOrCreate(cache, key, make);
  }

  return {
    newer,
    ...(!onDemandUsd && { unpriced: true }),
    offeringsOf: (type) => getCached(type, () => deriveOfferings(type, usdOf(type), (zone) => spotUsdOf(type, zone))),
    offeringsAt: (type, usd) => getCached(`${type} ${usd}`, () => deriveOfferings(type, usd, () => usd)),
  };
}

/** An offering without a price cannot be compared, so it is left out. */
const toOffering = (
  instanceType: string,
  zone: string,
  capacityType: Offering['capacityType'],
  hourlyUsd: number | undefined,
): Offering[] => (hourlyUsd === undefined ? [] : [{ instanceType, zone, capacityType, hourlyUsd }]);

/**
 * A price list from bundled data, without a call to EC2. Spot has the on-demand price, which is its
 * upper limit. The zones are those of the account that the bundle was written with; another region has
 * none.
 */
export const bundledPriceList = (zones?: readonly string[], region: string = BUNDLED_REGION): PriceList =>
  createPriceList({
    zonesOf(instanceType) {
      const all = region === BUNDLED_REGION ? (findEc2Type(instanceType)?.zones ?? []) : [];
      return zones ? all.filter((zone) => zones.includes(zone)) : all;
    },
    spotUsd: findOnDemandUsd,
    onDemandUsd: findBundledPrices(region),
  });

/**
 * Lists the offerings of a class's reservations that have free instances.
 *
 * @param reservations - with the number of free instances at `now`
 */
export const listReservedOfferings = (
  nodeClass: string,
  reservations: readonly NodeReservation[],
  { offeringsOf }: Pick<PriceList, 'offeringsOf'>,
  now: EpochMs,
): readonly Offering[] =>
  reservations
    .filter((one) => one.freeInstances > 0 && !isExpiring(one, now))
    .map(({ id, kind, isInterruptible, freeInstances: free, instanceType, zone }) => ({
      instanceType,
      zone,
      capacityType: 'reserved',
      hourlyUsd: findOnDemandPrice(offeringsOf(instanceType)) * RESERVED_SHARE_OF_PRICE,
      reservation: { id, kind, isInterruptible, free, nodeClass },
    }));

/** Returns 0 if the price is unknown: reserved capacity is used at any price. */
const findOnDemandPrice = (offerings: readonly Offering[]): number =>
  offerings.find(({ capacityType }) => capacityType === 'on-demand')?.hourlyUsd ?? 0;
