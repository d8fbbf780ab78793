import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type {
  InstanceType,
  Offering,
  OfferingReservation,
  UnavailableOffering,
} from '../../../model/offerings/instance-type.ts';
import type { FleetChoice } from './fleet-request.ts';

/** EC2 takes about 300 pools in one request: so many types in each of up to five zones. */
const MAX_TYPES = 60;

/**
 * What to ask EC2 for, one request after the other until one is answered with an instance: what is
 * reserved, one reservation after the other, then spot before on demand where both are allowed.
 *
 * @param offerings - that the claim may be launched as, types in its order
 * @param unavailable - what EC2 lately had none of: not asked for again
 */
export function listFleetChoices(
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
): readonly FleetChoice[] {
  const available = offerings.filter(
    (offering) => !unavailable.some((dry) => covers(dry, offering)),
  );
  const onDemand = available.filter(({ capacityType }) => capacityType === 'on-demand');
  const ceiling = Math.min(...onDemand.map(({ hourlyUsd }) => hourlyUsd));
  const spot = available.filter(
    ({ capacityType, hourlyUsd }) => capacityType === 'spot' && hourlyUsd <= ceiling,
  );

  const choices: readonly FleetChoice[] = [
    ...listReservedChoices(available),
    { capacityType: 'spot', offerings: limitTypes(spot) },
    { capacityType: 'on-demand', offerings: limitTypes(onDemand) },
  ];
  return choices.filter((choice) => choice.offerings.length > 0);
}

/** What EC2 takes of a reservation it takes of that one alone: its template names it. */
const listReservedChoices = (offerings: readonly Offering[]): readonly FleetChoice[] =>
  offerings
    .flatMap((offering) => (offering.reservation ? [{ offering, ...offering.reservation }] : []))
    .toSorted(
      (a, b) =>
        a.offering.hourlyUsd - b.offering.hourlyUsd ||
        RESERVATION_ORDER.indexOf(toReservationRank(a)) -
          RESERVATION_ORDER.indexOf(toReservationRank(b)) ||
        b.free - a.free,
    )
    .map(({ offering, id, kind, isInterruptible }) => ({
      capacityType: 'reserved',
      offerings: [offering],
      reservation: { id, kind, isInterruptible },
    }));

/** Of equal price: those first that nobody takes back. */
const RESERVATION_ORDER = ['default', 'capacity-block', 'interruptible'];
const toReservationRank = ({
  kind,
  isInterruptible,
}: Pick<OfferingReservation, 'kind' | 'isInterruptible'>) =>
  kind === 'default' && isInterruptible ? 'interruptible' : kind;

const covers = (dry: UnavailableOffering, offering: Offering): boolean =>
  (dry.instanceType ?? offering.instanceType) === offering.instanceType &&
  (dry.zone ?? offering.zone) === offering.zone &&
  (dry.capacityType ?? offering.capacityType) === offering.capacityType;

function limitTypes(offerings: readonly Offering[]): readonly Offering[] {
  const types = [...new Set(offerings.map(({ instanceType }) => instanceType))];
  const first = new Set(types.slice(0, MAX_TYPES));
  return offerings.filter(({ instanceType }) => first.has(instanceType));
}

const SIZE_LABEL = 'karpenter.k8s.aws/instance-size';
/** Resources of machines that few pods need, and that cost what they do for them. */
const ACCELERATORS = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
] as const;

/**
 * Without bare metal and accelerators, unless the plan means them: where EC2 chooses by capacity as
 * well as by price, it may choose what nobody wants. A plan that lists such a type first, or counts
 * types (minValues), means what it lists.
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

const hasSpecialHardware = ({ labels, capacity }: InstanceType): boolean =>
  (labels[SIZE_LABEL] ?? '').startsWith('metal') ||
  ACCELERATORS.some((name) => (capacity[name] ?? 0) > 0);
