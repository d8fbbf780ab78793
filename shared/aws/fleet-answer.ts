import type {
  CreateFleetCommandOutput,
  LaunchTemplateAndOverridesResponse,
} from '@aws-sdk/client-ec2';
import { formatOffering, type Offering } from '../model/instance-type.ts';
import type { NodeSubnet } from '../model/resolved-node-class.ts';
import { type FleetError, isNoSpotRole, isUnfulfillable } from './fleet-errors.ts';
import type { FleetChoice } from './fleet-request.ts';

export type FleetOffering = Omit<Offering, 'hourlyUsd'>;

/** An instance, and what it was launched as. */
export interface FleetInstance extends FleetOffering {
  readonly id: string;
  /** Absent where EC2 did not tell. */
  readonly subnetId?: string;
}

export interface FleetAnswer {
  readonly instances: readonly FleetInstance[];
  /** What EC2 has none of, each once. */
  readonly unavailable: readonly FleetOffering[];
  /** Ids of subnets without addresses and of reservations without room. */
  readonly exhausted: readonly string[];
  /** Those that another offering would not cure. */
  readonly refusals: readonly FleetError[];
  /** The SDK asked more than once: what an earlier try did, nobody was told. */
  readonly isUncertain?: boolean;
}

/** @param choice - what was asked for: the answer does not repeat all of it */
export function readFleetAnswer(
  { Instances = [], Errors = [] }: Pick<CreateFleetCommandOutput, 'Instances' | 'Errors'>,
  choice: FleetChoice,
  subnets: readonly NodeSubnet[],
): FleetAnswer {
  const zoneOf = zoneReader(subnets);
  const errors = Errors.map(({ ErrorCode = '', ErrorMessage = '', ...rest }) => ({
    code: ErrorCode,
    message: ErrorMessage,
    instanceType: rest.LaunchTemplateAndOverrides?.Overrides?.InstanceType,
    zone: zoneOf(rest.LaunchTemplateAndOverrides),
    subnet: rest.LaunchTemplateAndOverrides?.Overrides?.SubnetId,
  }));
  const instances = Instances.flatMap((item): FleetInstance[] => {
    const { InstanceIds = [], InstanceType: instanceType } = item;
    const zone = zoneOf(item.LaunchTemplateAndOverrides) ?? item.AvailabilityZone;
    if (!instanceType || !zone) return [];
    const { capacityType } = choice;
    const subnetId = item.LaunchTemplateAndOverrides?.Overrides?.SubnetId;
    const { reservation } = choice.offerings[0] ?? {};
    const where = {
      ...(subnetId !== undefined && { subnetId }),
      ...(reservation && { reservation }),
    };
    return InstanceIds.map((id) => ({ id, instanceType, zone, capacityType, ...where }));
  });

  const lacks = errors.filter(isUnfulfillable);
  const exhausted = lacks.flatMap((error) => exhaustedBy(error, error.subnet, choice) ?? []);
  const unavailable = lacks.flatMap((error): FleetOffering[] => {
    if (exhaustedBy(error, error.subnet, choice) !== undefined) return [];
    if (isNoSpotRole(error)) return choice.offerings.map(withoutPrice);
    const { instanceType, zone } = error;
    return instanceType && zone ? [{ instanceType, zone, capacityType: choice.capacityType }] : [];
  });
  return {
    instances,
    unavailable: distinct(unavailable),
    exhausted: [...new Set(exhausted)],
    refusals: errors.filter((error) => !isUnfulfillable(error)),
  };
}

/** The answer where EC2 refused the request as a whole. */
export function readFleetRefusal(error: FleetError, choice: FleetChoice): FleetAnswer {
  const nothing = { instances: [], unavailable: [], exhausted: [], refusals: [] };
  if (!isUnfulfillable(error)) return { ...nothing, refusals: [error] };
  const { reservation, offerings } = choice;
  return reservation
    ? { ...nothing, exhausted: [reservation.id] }
    : { ...nothing, unavailable: offerings.map(withoutPrice) };
}

/** Not the offering has run dry, but the one subnet or reservation that it was asked for in. */
const exhaustedBy = (
  { code }: FleetError,
  subnet: string | undefined,
  { reservation }: FleetChoice,
): string | undefined => (code === 'InsufficientFreeAddressesInSubnet' ? subnet : reservation?.id);

/** The subnet says it for sure: it is what was asked for. */
const zoneReader =
  (subnets: readonly NodeSubnet[]) =>
  ({ Overrides }: LaunchTemplateAndOverridesResponse = {}): string | undefined =>
    subnets.find(({ id }) => id === Overrides?.SubnetId)?.zone ?? Overrides?.AvailabilityZone;

const withoutPrice = ({ instanceType, zone, capacityType }: Offering): FleetOffering => ({
  instanceType,
  zone,
  capacityType,
});

const distinct = (offerings: readonly FleetOffering[]): readonly FleetOffering[] => [
  ...new Map(offerings.map((offering) => [formatOffering(offering), offering])).values(),
];
