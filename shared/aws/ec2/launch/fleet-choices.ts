import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import {
  type InstanceType,
  isBareMetal,
  type Offering,
  type OfferingReservation,
  type UnavailableOffering,
} from '../../../model/offerings/instance-type.ts';
import type { FleetChoice } from './fleet-request.ts';

/**
 * As many types as Karpenter requests, whatever the number of zones. EC2 does not limit the capacity
 * pools of an instant fleet; its limit of 300 is for the types request and maintain.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/UserGuide/fleet-quotas.html
 */
const MAX_TYPES = 60;

/**
 * Lists the requests to make, one after the other, until EC2 returns instances: each reservation,
 * then spot, then on-demand, as far as the claim allows them.
 *
 * @param offerings - that the claim may be launched as, types in the order of the claim
 * @param unavailable - offerings that EC2 lately had no capacity for; they are left out
 */
export function listFleetChoices(
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
): readonly FleetChoice[] {
  const available = offerings.filter((offering) => !unavailable.some((entry) => covers(entry, offering)));
  const onDemand = available.filter(({ capacityType }) => capacityType === 'on-demand');
  const ceiling = Math.min(...onDemand.map(({ hourlyUsd }) => hourlyUsd));
  const spot = available.filter(({ capacityType, hourlyUsd }) => capacityType === 'spot' && hourlyUsd <= ceiling);

  const choices: readonly FleetChoice[] = [
    ...listReservedChoices(available),
    { capacityType: 'spot', offerings: limitTypes(spot) },
    { capacityType: 'on-demand', offerings: limitTypes(onDemand) },
  ];
  return choices.filter((choice) => choice.offerings.length > 0);
}

/** Each reservation needs its own request, because the launch template names it. */
const listReservedChoices = (offerings: readonly Offering[]): readonly FleetChoice[] =>
  offerings
    .flatMap((offering) => (offering.reservation ? [{ offering, ...offering.reservation }] : []))
    .toSorted(
      (a, b) =>
        a.offering.hourlyUsd - b.offering.hourlyUsd ||
        RESERVATION_ORDER.indexOf(toReservationRank(a)) - RESERVATION_ORDER.indexOf(toReservationRank(b)) ||
        b.free - a.free,
    )
    .map(({ offering, id, kind, isInterruptible }) => ({
      capacityType: 'reserved',
      offerings: [offering],
      reservation: { id, kind, isInterruptible },
    }));

/** At equal price, reservations that AWS does not take back come first. */
const RESERVATION_ORDER = ['default', 'capacity-block', 'interruptible'];
const toReservationRank = ({ kind, isInterruptible }: Pick<OfferingReservation, 'kind' | 'isInterruptible'>) =>
  kind === 'default' && isInterruptible ? 'interruptible' : kind;

const covers = (entry: UnavailableOffering, offering: Offering): boolean =>
  (entry.instanceType ?? offering.instanceType) === offering.instanceType &&
  (entry.zone ?? offering.zone) === offering.zone &&
  (entry.capacityType ?? offering.capacityType) === offering.capacityType &&
  (entry.reservationId ?? offering.reservation?.id) === offering.reservation?.id;

function limitTypes(offerings: readonly Offering[]): readonly Offering[] {
  const types = [...new Set(offerings.map(({ instanceType }) => instanceType))];
  const first = new Set(types.slice(0, MAX_TYPES));
  return offerings.filter(({ instanceType }) => first.has(instanceType));
}

/** Resources of expensive hardware that few pods need. */
const ACCELERATORS = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
] as const;

/**
 * Drops bare metal and accelerators unless the plan asks for them: EC2 also selects by capacity and
 * could select an unsuitable type. If the plan lists such a type first, or uses minValues, all its
 * types stay.
 *
 * @param offerings - in the order of the claim's types
 */
export function dropSpecialHardware(
  { requirements }: NodeClaim,
  offerings: readonly Offering[],
  types: ReadonlyMap<string, InstanceType>,
): readonly Offering[] {
  const isOrdinary = ({ instanceType }: Offering): boolean => {
    const type = types.get(instanceType);
    return type !== undefined && !hasSpecialHardware(type);
  };
  const [first] = offerings;
  const countsTypes = requirements.some(({ minValues }) => minValues !== undefined);
  return first && isOrdinary(first) && !countsTypes ? offerings.filter(isOrdinary) : offerings;
}

const hasSpecialHardware = (type: InstanceType): boolean =>
  isBareMetal(type) || ACCELERATORS.some((name) => (type.capacity[name] ?? 0) > 0);
