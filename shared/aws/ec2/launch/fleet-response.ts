import type {
  CreateFleetCommandOutput,
  CreateFleetInstance,
  LaunchTemplateAndOverridesResponse,
} from '@aws-sdk/client-ec2';
import type { NodeClassResolution, NodeSubnet } from '../../../model/nodes/resolved-node-class.ts';
import { formatOffering, type Offering } from '../../../model/offerings/instance-type.ts';
import type { ExhaustedOffering, LaunchFailure } from '../../../ports/cloud.ts';
import {
  type FleetError,
  findFailureReason,
  isInsufficientCapacity,
  isSpotRoleMissing,
  isSpreadLimit,
} from './fleet-errors.ts';
import type { FleetChoice } from './fleet-request.ts';

export type FleetOffering = Omit<Offering, 'hourlyUsd'>;

/** An instance with the offering that it was launched as. */
export interface FleetInstance extends FleetOffering {
  readonly id: string;
  /** Undefined if EC2 did not return it. */
  readonly subnetId?: string;
}

export interface FleetResult {
  readonly instances: readonly FleetInstance[];
  /** Offerings that EC2 has no capacity for, each once. */
  readonly unavailable: readonly ExhaustedOffering[];
  /** Ids of subnets without free addresses and of reservations without free instances. */
  readonly exhausted: readonly string[];
  /** Errors that another offering would not avoid. */
  readonly refusals: readonly FleetError[];
  /** One entry per error, of any kind. */
  readonly failures: readonly LaunchFailure[];
  /** True if the SDK retried the request: an earlier try may have launched instances. */
  readonly mayHaveLaunched?: boolean;
}

/** The subnets and the placement group of the class. */
type LaunchPlaces = Pick<NodeClassResolution, 'subnets' | 'placementGroup'>;

/**
 * @param choice - the request; the response repeats only a part of it
 */
export function readFleetOutput(
  { Instances = [], Errors = [] }: Pick<CreateFleetCommandOutput, 'Instances' | 'Errors'>,
  choice: FleetChoice,
  launchZones: LaunchPlaces,
): FleetResult {
  const zoneOf = createZoneReader(launchZones.subnets);
  const errors = Errors.map(({ ErrorCode = '', ErrorMessage = '', ...rest }) => ({
    code: ErrorCode,
    message: ErrorMessage,
    instanceType: rest.LaunchTemplateAndOverrides?.Overrides?.InstanceType,
    zone: zoneOf(rest.LaunchTemplateAndOverrides),
    subnet: rest.LaunchTemplateAndOverrides?.Overrides?.SubnetId,
  }));
  const capacityErrors = errors.filter(isInsufficientCapacity);
  const exhausted = capacityErrors.flatMap((error) => findExhausted(error, error.subnet, choice) ?? []);
  return {
    instances: Instances.flatMap((item) => listInstances(item, choice, zoneOf)),
    unavailable: distinct(capacityErrors.flatMap((error) => listUnavailable(error, choice, launchZones))),
    exhausted: [...new Set(exhausted)],
    refusals: errors.filter((error) => !isInsufficientCapacity(error)),
    failures: errors.map((error) => toLaunchFailure(error, choice, launchZones)),
  };
}

function listInstances(
  item: CreateFleetInstance,
  { capacityType, offerings }: FleetChoice,
  zoneOf: ZoneReader,
): readonly FleetInstance[] {
  const { InstanceIds = [], InstanceType: instanceType, LaunchTemplateAndOverrides: from } = item;
  const zone = zoneOf(from) ?? item.AvailabilityZone;
  if (!instanceType || !zone) return [];
  const subnetId = from?.Overrides?.SubnetId;
  const { reservation } = offerings[0] ?? {};
  const placement = {
    ...(subnetId !== undefined && { subnetId }),
    ...(reservation && { reservation }),
  };
  return InstanceIds.map((id) => ({ id, instanceType, zone, capacityType, ...placement }));
}

interface FleetOverrideError extends FleetError {
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly subnet: string | undefined;
}

/**
 * Returns the offerings that an error makes unavailable: one, all of the request, or those of a
 * zone.
 */
function listUnavailable(
  error: FleetOverrideError,
  choice: FleetChoice,
  launchZones: LaunchPlaces,
): readonly ExhaustedOffering[] {
  const { instanceType, zone, subnet } = error;
  const { offerings, capacityType } = choice;
  if (findExhausted(error, subnet, choice) !== undefined) return [];
  if (isSpotRoleMissing(error)) return offerings.map(withoutPrice);
  if (isSpreadLimit(error)) {
    return offerings
      .filter((one) => one.zone === zone)
      .map(withoutPrice)
      .map(withPlacementGroup(launchZones));
  }
  return instanceType && zone ? [{ instanceType, zone, capacityType }].map(withPlacementGroup(launchZones)) : [];
}

/**
 * A placement group may lack capacity that is available elsewhere, so its id is part of the entry.
 */
const withPlacementGroup =
  ({ placementGroup }: LaunchPlaces) =>
  (offering: ExhaustedOffering): ExhaustedOffering => ({
    ...offering,
    ...(placementGroup && { placementGroup: placementGroup.id }),
  });

function toLaunchFailure(
  error: FleetError & { readonly zone?: string | undefined },
  { capacityType }: FleetChoice,
  { subnets }: LaunchPlaces,
): LaunchFailure {
  const { zone = '' } = error;
  const zoneId = subnets.find((subnet) => subnet.zone === zone)?.zoneId ?? '';
  return { zone, zoneId, capacityType, reason: findFailureReason(error) };
}

/** Reads the error of a request that EC2 refused as a whole. */
export function readFleetError(error: FleetError, choice: FleetChoice, launchZones: LaunchPlaces): FleetResult {
  const { reservation, offerings } = choice;
  const failures = [toLaunchFailure(error, choice, launchZones)];
  const base = { instances: [], unavailable: [], exhausted: [], refusals: [], failures };
  if (!isInsufficientCapacity(error)) return { ...base, refusals: [error] };
  return reservation && !isSpreadLimit(error)
    ? { ...base, exhausted: [reservation.id] }
    : { ...base, unavailable: offerings.map(withoutPrice).map(withPlacementGroup(launchZones)) };
}

/**
 * Returns the subnet or reservation that is used up, if the offering itself may still be available.
 */
function findExhausted(
  error: FleetError,
  subnet: string | undefined,
  { reservation }: FleetChoice,
): string | undefined {
  if (error.code === 'InsufficientFreeAddressesInSubnet') return subnet;
  return isSpreadLimit(error) ? undefined : reservation?.id;
}

type ZoneReader = (from?: LaunchTemplateAndOverridesResponse) => string | undefined;

/** The subnet identifies the zone reliably, because it was part of the request. */
const createZoneReader =
  (subnets: readonly NodeSubnet[]): ZoneReader =>
  ({ Overrides }: LaunchTemplateAndOverridesResponse = {}): string | undefined =>
    subnets.find(({ id }) => id === Overrides?.SubnetId)?.zone ?? Overrides?.AvailabilityZone;

const withoutPrice = ({ instanceType, zone, capacityType }: Offering): FleetOffering => ({
  instanceType,
  zone,
  capacityType,
});

const distinct = (offerings: readonly ExhaustedOffering[]): readonly ExhaustedOffering[] => [
  ...new Map(offerings.map((offering) => [formatOffering(offering), offering])).values(),
];
