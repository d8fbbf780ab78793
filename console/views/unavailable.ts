import type { UnavailableOffering } from '../../shared/model/offerings/instance-type.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { DryOffering } from '../views.ts';

/** Describes the offerings that have no capacity at `now`. */
export const describeUnavailable = (
  offerings: readonly UnavailableOffering[],
  now: EpochMs,
): readonly DryOffering[] =>
  offerings
    .filter(({ until }) => until > now)
    .map((offering) => ({ text: formatPart(offering), until: offering.until }));

const formatPart = ({ instanceType, capacityType, zone, isShifted }: UnavailableOffering): string =>
  [instanceType ?? 'every type', capacityType, zone, isShifted && '(zonal shift)']
    .filter(Boolean)
    .join(' ');
