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
  /** Those that another offering would not cure. */
  readonly refusals: readonly FleetError[];
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
  }));
  const instances = Instances.flatMap((item): FleetInstance[] => {
    const { InstanceIds = [], InstanceType: instanceType } = item;
    const zone = zoneOf(item.LaunchTemplateAndOverrides) ?? item.AvailabilityZone;
    if (!instanceType || !zone) return [];
    const { capacityType } = choice;
    const subnetId = item.LaunchTemplateAndOverrides?.Overrides?.SubnetId;
    const where = { ...(subnetId !== undefined && { subnetId }) };
    return InstanceIds.map((id) => ({ id, instanceType, zone, capacityType, ...where }));
  });

  const unavailable = errors.filter(isUnfulfillable).flatMap((error): FleetOffering[] => {
    if (isNoSpotRole(error)) return choice.offerings.map(withoutPrice);
    const { instanceType, zone } = error;
    return instanceType && zone ? [{ instanceType, zone, capacityType: choice.capacityType }] : [];
  });
  return {
    instances,
    unavailable: distinct(unavailable),
    refusals: errors.filter((error) => !isUnfulfillable(error)),
  };
}

/** The answer where EC2 refused the request as a whole. */
export function readFleetRefusal(error: FleetError, { offerings }: FleetChoice): FleetAnswer {
  return isUnfulfillable(error)
    ? { instances: [], unavailable: offerings.map(withoutPrice), refusals: [] }
    : { instances: [], unavailable: [], refusals: [error] };
}

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
