import type { Offering, OfferingReservation, UnavailableOffering } from '../../../model/instance-type.ts';
import type { FleetChoice } from './fleet-request.ts';

/** EC2 takes about 300 pools in one request: so many types in each of up to five zones. */
const MOST_TYPES = 60;

/**
 * What to ask EC2 for, one request after the other until one is answered with an instance: what is
 * reserved, one reservation after the other, then spot before on demand where both are allowed.
 *
 * @param offerings - that the claim may be launched as, types in its order
 * @param unavailable - what EC2 lately had none of: not asked for again
 */
export function fleetChoices(
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
): readonly FleetChoice[] {
  const available = offerings.filter(
    (offering) => !unavailable.some((dry) => matches(dry, offering)),
  );
  const onDemand = available.filter(({ capacityType }) => capacityType === 'on-demand');
  const ceiling = Math.min(...onDemand.map(({ hourlyUsd }) => hourlyUsd));
  const spot = available.filter(
    ({ capacityType, hourlyUsd }) => capacityType === 'spot' && hourlyUsd <= ceiling,
  );

  const choices: readonly FleetChoice[] = [
    ...reservedChoices(available),
    { capacityType: 'spot', offerings: ofFirstTypes(spot) },
    { capacityType: 'on-demand', offerings: ofFirstTypes(onDemand) },
  ];
  return choices.filter((choice) => choice.offerings.length > 0);
}

/** What EC2 takes of a reservation it takes of that one alone: its template names it. */
const reservedChoices = (offerings: readonly Offering[]): readonly FleetChoice[] =>
  offerings
    .flatMap((offering) => (offering.reservation ? [{ offering, ...offering.reservation }] : []))
    .toSorted(
      (a, b) =>
        a.offering.hourlyUsd - b.offering.hourlyUsd ||
        KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b)) ||
        b.free - a.free,
    )
    .map(({ offering, id, kind, isInterruptible }) => ({
      capacityType: 'reserved',
      offerings: [offering],
      reservation: { id, kind, isInterruptible },
    }));

/** Of equal price: those first that nobody takes back. */
const KINDS = ['default', 'capacity-block', 'interruptible'];
const kindOf = ({
  kind,
  isInterruptible,
}: Pick<OfferingReservation, 'kind' | 'isInterruptible'>) =>
  kind === 'default' && isInterruptible ? 'interruptible' : kind;

const matches = (dry: UnavailableOffering, offering: Offering): boolean =>
  (dry.instanceType ?? offering.instanceType) === offering.instanceType &&
  (dry.zone ?? offering.zone) === offering.zone &&
  (dry.capacityType ?? offering.capacityType) === offering.capacityType;

function ofFirstTypes(offerings: readonly Offering[]): readonly Offering[] {
  const types = [...new Set(offerings.map(({ instanceType }) => instanceType))];
  const first = new Set(types.slice(0, MOST_TYPES));
  return offerings.filter(({ instanceType }) => first.has(instanceType));
}
