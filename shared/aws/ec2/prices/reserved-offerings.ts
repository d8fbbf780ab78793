import type { Offering } from '../../../model/instance-type.ts';
import { RESERVED_SHARE_OF_PRICE } from '../../../model/node-claim.ts';
import { isExpiring, type NodeReservation } from '../../../model/resolved-node-class.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { PriceList } from './price-list.ts';

/** What a class's reservations have left. @param reservations - with what is left of them now */
export const reservedOfferings = (
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
      hourlyUsd: onDemandUsd(offeringsOf(instanceType)) * RESERVED_SHARE_OF_PRICE,
      reservation: { id, kind, isInterruptible, free, nodeClass },
    }));

/** 0: nobody knows it, and reserved capacity is used all the same. */
const onDemandUsd = (offerings: readonly Offering[]): number =>
  offerings.find(({ capacityType }) => capacityType === 'on-demand')?.hourlyUsd ?? 0;
