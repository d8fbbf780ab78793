import type {
  CreateFleetCommandOutput,
  CreateFleetInstance,
  LaunchTemplateAndOverridesResponse,
} from '@aws-sdk/client-ec2';
import { formatOffering, type Offering } from '../../../model/instance-type.ts';
import type { NodeClassResolution, NodeSubnet } from '../../../model/resolved-node-class.ts';
import type { DryOffering, LaunchFailure } from '../../../ports/cloud.ts';
import {
  type FleetError,
  failureReason,
  isNoSpotRole,
  isSpreadLimit,
  isUnfulfillable,
} from './fleet-errors.ts';
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
  readonly unavailable: readonly DryOffering[];
  /** Ids of subnets without addresses and of reservations without room. */
  readonly exhausted: readonly string[];
  /** Those that another offering would not cure. */
  readonly refusals: readonly FleetError[];
  /** One for each error, whatever came of it. */
  readonly failures: readonly LaunchFailure[];
  /** The SDK asked more than once: what an earlier try did, nobody was told. */
  readonly isUncertain?: boolean;
}

/** Where nodes of a class start. */
type Places = Pick<NodeClassResolution, 'subnets' | 'placementGroup'>;

/** @param choice - what was asked for: the answer does not repeat all of it */
export function readFleetAnswer(
  { Instances = [], Errors = [] }: Pick<CreateFleetCommandOutput, 'Instances' | 'Errors'>,
  choice: FleetChoice,
  places: Places,
): FleetAnswer {
  const zoneOf = zoneReader(places.subnets);
  const errors = Errors.map(({ ErrorCode = '', ErrorMessage = '', ...rest }) => ({
    code: ErrorCode,
    message: ErrorMessage,
    instanceType: rest.LaunchTemplateAndOverrides?.Overrides?.InstanceType,
    zone: zoneOf(rest.LaunchTemplateAndOverrides),
    subnet: rest.LaunchTemplateAndOverrides?.Overrides?.SubnetId,
  }));
  const lacks = errors.filter(isUnfulfillable);
  const exhausted = lacks.flatMap((error) => exhaustedBy(error, error.subnet, choice) ?? []);
  return {
    instances: Instances.flatMap((item) => launchedBy(item, choice, zoneOf)),
    unavailable: distinct(lacks.flatMap((error) => dryBy(error, choice, places))),
    exhausted: [...new Set(exhausted)],
    refusals: errors.filter((error) => !isUnfulfillable(error)),
    failures: errors.map((error) => failureOf(error, choice, places)),
  };
}

function launchedBy(
  item: CreateFleetInstance,
  { capacityType, offerings }: FleetChoice,
  zoneOf: ZoneReader,
): readonly FleetInstance[] {
  const { InstanceIds = [], InstanceType: instanceType, LaunchTemplateAndOverrides: from } = item;
  const zone = zoneOf(from) ?? item.AvailabilityZone;
  if (!instanceType || !zone) return [];
  const subnetId = from?.Overrides?.SubnetId;
  const { reservation } = offerings[0] ?? {};
  const where = {
    ...(subnetId !== undefined && { subnetId }),
    ...(reservation && { reservation }),
  };
  return InstanceIds.map((id) => ({ id, instanceType, zone, capacityType, ...where }));
}

interface FleetEntry extends FleetError {
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly subnet: string | undefined;
}

/** What an entry says of capacity: of one offering, of all that were asked for, or of a zone's. */
function dryBy(error: FleetEntry, choice: FleetChoice, places: Places): readonly DryOffering[] {
  const { instanceType, zone, subnet } = error;
  const { offerings, capacityType } = choice;
  if (exhaustedBy(error, subnet, choice) !== undefined) return [];
  if (isNoSpotRole(error)) return offerings.map(withoutPrice);
  if (isSpreadLimit(error)) {
    return offerings
      .filter((one) => one.zone === zone)
      .map(withoutPrice)
      .map(inGroup(places));
  }
  return instanceType && zone ? [{ instanceType, zone, capacityType }].map(inGroup(places)) : [];
}

/** Next to each other, or far from each other, there is less room than elsewhere. */
const inGroup =
  ({ placementGroup }: Places) =>
  (offering: DryOffering): DryOffering => ({
    ...offering,
    ...(placementGroup && { placementGroup: placementGroup.id }),
  });

function failureOf(
  error: FleetError & { readonly zone?: string | undefined },
  { capacityType }: FleetChoice,
  { subnets }: Places,
): LaunchFailure {
  const { zone = '' } = error;
  const zoneId = subnets.find((subnet) => subnet.zone === zone)?.zoneId ?? '';
  return { zone, zoneId, capacityType, reason: failureReason(error) };
}

/** The answer where EC2 refused the request as a whole. */
export function readFleetRefusal(
  error: FleetError,
  choice: FleetChoice,
  places: Places,
): FleetAnswer {
  const { reservation, offerings } = choice;
  const failures = [failureOf(error, choice, places)];
  const nothing = { instances: [], unavailable: [], exhausted: [], refusals: [], failures };
  if (!isUnfulfillable(error)) return { ...nothing, refusals: [error] };
  return reservation && !isSpreadLimit(error)
    ? { ...nothing, exhausted: [reservation.id] }
    : { ...nothing, unavailable: offerings.map(withoutPrice).map(inGroup(places)) };
}

/** Not the offering has run dry, but the one subnet or reservation that it was asked for in. */
function exhaustedBy(
  error: FleetError,
  subnet: string | undefined,
  { reservation }: FleetChoice,
): string | undefined {
  if (error.code === 'InsufficientFreeAddressesInSubnet') return subnet;
  return isSpreadLimit(error) ? undefined : reservation?.id;
}

type ZoneReader = (from?: LaunchTemplateAndOverridesResponse) => string | undefined;

/** The subnet says it for sure: it is what was asked for. */
const zoneReader =
  (subnets: readonly NodeSubnet[]): ZoneReader =>
  ({ Overrides }: LaunchTemplateAndOverridesResponse = {}): string | undefined =>
    subnets.find(({ id }) => id === Overrides?.SubnetId)?.zone ?? Overrides?.AvailabilityZone;

const withoutPrice = ({ instanceType, zone, capacityType }: Offering): FleetOffering => ({
  instanceType,
  zone,
  capacityType,
});

const distinct = (offerings: readonly DryOffering[]): readonly DryOffering[] => [
  ...new Map(offerings.map((offering) => [formatOffering(offering), offering])).values(),
];
