import type { UnavailableOffering } from '../../shared/model/offerings/instance-type.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { UnavailableView } from '../views.ts';

/** Describes the offerings that have no capacity at `now`. */
export const describeUnavailable = (
  offerings: readonly UnavailableOffering[],
  now: EpochMs,
): readonly UnavailableView[] =>
  offerings
    .filter(({ until }) => until > now)
    .map((offering) => ({ text: formatPart(offering), until: offering.until }));

const formatPart = ({ instanceType, capacityType, zone, isShifted }: UnavailableOffering): string =>
  [instanceType ?? 'every type', capacityType, zone, isShifted && '(zonal shift)'].filter(Boolean).join(' ');
