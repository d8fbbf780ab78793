import type { InstanceType, Offering, UnavailableOffering } from '../../model/offerings/instance-type.ts';
import type { Catalogue } from '../../ports/cloud.ts';
import type { Telemetry } from '../../ports/ports.ts';

const MILLI = 1000;

/** Gauges offerings and instance types of all pools. Writes only when they changed. */
export interface OfferingMetrics {
  recordCatalogue(catalogue: Catalogue): void;
  recordUnavailable(unavailable: readonly UnavailableOffering[]): void;
}

type Offered = Pick<Catalogue, 'offerings' | 'unpriced'>;

export function createOfferingMetrics(telemetry: Telemetry): OfferingMetrics {
  let offered: Offered = { offerings: [] };
  let types: readonly (readonly InstanceType[])[] = [];
  let current: readonly UnavailableOffering[] = [];

  return {
    recordCatalogue(catalogue) {
      const lists = [...new Set(Object.values(catalogue.instanceTypes))];
      if (!isSame(lists, types)) gaugeTypes(telemetry, lists);
      if (catalogue.offerings !== offered.offerings) gaugeOfferings(telemetry, catalogue, current);
      [types, offered] = [lists, catalogue];
    },
    recordUnavailable(unavailable) {
      if (isSame(toKeys(unavailable), toKeys(current))) return;
      current = unavailable;
      gaugeShifts(telemetry, current);
      gaugeOfferings(telemetry, offered, current);
    },
  };
}

const isSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);

/** Ignores `until`: a longer outage is no change. */
const toKeys = (unavailable: readonly UnavailableOffering[]): readonly string[] =>
  unavailable.map(({ until: _, ...part }) => JSON.stringify(part)).toSorted();

function gaugeTypes(telemetry: Telemetry, lists: readonly (readonly InstanceType[])[]): void {
  const types = [...new Map(lists.flat().map((type) => [type.name, type])).values()];
  const samples = (amount: (type: InstanceType) => number) =>
    types.map((type) => ({ labels: { instance_type: type.name }, value: amount(type) }));
  telemetry.gauge(
    'karpenter_cloudprovider_instance_type_cpu_cores',
    samples(({ capacity }) => (capacity.cpu ?? 0) / MILLI),
  );
  telemetry.gauge(
    'karpenter_cloudprovider_instance_type_memory_bytes',
    samples(({ capacity }) => capacity.memory ?? 0),
  );
}

function gaugeOfferings(
  telemetry: Telemetry,
  { offerings, unpriced }: Offered,
  current: readonly UnavailableOffering[],
): void {
  const samples = (value: (offering: Offering) => number) =>
    offerings.map((offering) => ({
      labels: {
        instance_type: offering.instanceType,
        capacity_type: offering.capacityType,
        zone: offering.zone,
      },
      value: value(offering),
    }));
  telemetry.gauge(
    'karpenter_cloudprovider_instance_type_offering_available',
    samples((offering) => (current.some((part) => isPartOf(part, offering)) ? 0 : 1)),
  );
  telemetry.gauge(
    'karpenter_cloudprovider_instance_type_offering_price_estimate',
    // A weight is no price.
    unpriced ? [] : samples(({ hourlyUsd }) => hourlyUsd),
  );
}

function gaugeShifts(telemetry: Telemetry, current: readonly UnavailableOffering[]): void {
  const shifted = current.flatMap(({ zone, isShifted }) => (isShifted && zone ? [zone] : []));
  telemetry.gauge(
    'mortise_zonal_shift_active',
    shifted.map((zone) => ({ labels: { zone }, value: 1 })),
  );
}

const isPartOf = (
  { instanceType, zone, capacityType, placementGroup, reservationId }: UnavailableOffering,
  offering: Offering,
): boolean =>
  placementGroup === undefined &&
  (reservationId ?? offering.reservation?.id) === offering.reservation?.id &&
  (instanceType ?? offering.instanceType) === offering.instanceType &&
  (zone ?? offering.zone) === offering.zone &&
  (capacityType ?? offering.capacityType) === offering.capacityType;
