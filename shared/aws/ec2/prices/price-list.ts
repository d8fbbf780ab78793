import { type Ec2Type, findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import { findOnDemandUsd } from '../../../ec2/catalogue/on-demand-prices.ts';
import { getOrCreate } from '../../../model/memo.ts';
import { RESERVED_SHARE_OF_PRICE } from '../../../model/nodes/node-claim.ts';
import { isExpiring, type NodeReservation } from '../../../model/nodes/resolved-node-class.ts';
import type { Offering } from '../../../model/offerings/instance-type.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { SpotPrices } from './spot-price-history.ts';

/** What EC2 sells to the cluster, and for how much. */
export interface PriceList {
  /** The type's offerings, on demand first; always the same list. */
  offeringsOf(instanceType: string): readonly Offering[];
  /** All that EC2 sells of the type, at a price that somebody else has set; always the same list. */
  offeringsAt(instanceType: string, hourlyUsd: number): readonly Offering[];
  /** Types that EC2 has brought out since this release. Absent: none are known. */
  readonly newer?: readonly Ec2Type[];
}

/**
 * @param listZones - those of the cluster's zones that offer the type
 * @param usdByType - what it costs on demand; absent: the bundled prices
 * @param newer - types that this release does not know by itself
 */
export function createPriceList(
  zonesOf: (instanceType: string) => readonly string[],
  spotUsd: SpotPrices,
  usdOf: (instanceType: string) => number | undefined = findOnDemandUsd,
  newer: readonly Ec2Type[] = [],
): PriceList {
  const cache = new Map<string, readonly Offering[]>();
  const newerByName = new Map(newer.map((type) => [type.name, type]));

  function deriveOfferings(
    instanceType: string,
    usd: number | undefined,
    spotUsdIn: (zone: string) => number | undefined,
  ): readonly Offering[] {
    const isSpot = (findEc2Type(instanceType) ?? newerByName.get(instanceType))?.isSpot ?? false;
    const zones = zonesOf(instanceType);
    return [
      ...zones.flatMap((zone) => toOffering(instanceType, zone, 'on-demand', usd)),
      ...zones.flatMap((zone) =>
        toOffering(instanceType, zone, 'spot', isSpot ? spotUsdIn(zone) : undefined),
      ),
    ];
  }

  function getCached(key: string, make: () => readonly Offering[]): readonly Offering[] {
    return getOrCreate(cache, key, make);
  }

  return {
    newer,
    offeringsOf: (type) =>
      getCached(type, () => deriveOfferings(type, usdOf(type), (zone) => spotUsd(type, zone))),
    offeringsAt: (type, usd) =>
      getCached(`${type} ${usd}`, () => deriveOfferings(type, usd, () => usd)),
  };
}

/** Without a price there is nothing to weigh, so it is not offered. */
const toOffering = (
  instanceType: string,
  zone: string,
  capacityType: Offering['capacityType'],
  hourlyUsd: number | undefined,
): Offering[] => (hourlyUsd === undefined ? [] : [{ instanceType, zone, capacityType, hourlyUsd }]);

/**
 * The list that needs no answer of EC2's. It prices spot like on-demand, the most that spot costs:
 * too dear is safer than a guess. Its zones are those of the account that the bundle was written in.
 */
export const bundledPriceList = (zones?: readonly string[]): PriceList =>
  createPriceList((instanceType) => {
    const all = findEc2Type(instanceType)?.zones ?? [];
    return zones ? all.filter((zone) => zones.includes(zone)) : all;
  }, findOnDemandUsd);

/** What a class's reservations have left. @param reservations - with what is left of them now */
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

/** 0: nobody knows it, and reserved capacity is used all the same. */
const findOnDemandPrice = (offerings: readonly Offering[]): number =>
  offerings.find(({ capacityType }) => capacityType === 'on-demand')?.hourlyUsd ?? 0;
