import { ARCH_LABEL } from '../../shared/model/labels.ts';
import { CPU, EPHEMERAL_STORAGE, GIB, MEMORY, MIB, type Resources } from '../../shared/model/resources.ts';
import type { InstanceTypes } from '../documents/instance-types.ts';
import type { Candidate, ListedOffering, TypeEligibility } from './select-types.ts';

type Header = Pick<InstanceTypes, 'region' | 'nodeClass' | 'nodePool' | 'onDemandPricesOf' | 'spotPrices'> & {
  /** Limits the listed types, not the excluded ones. */
  readonly maxResults: number | undefined;
};

/** Builds the document from the evaluated types in the requested order. */
export function documentOf(verdicts: readonly TypeEligibility[], { maxResults, ...header }: Header): InstanceTypes {
  const kept = verdicts.filter((verdict) => verdict.outcome === 'kept');
  const excluded = verdicts.filter((verdict) => verdict.outcome === 'excluded');
  const counts = Map.groupBy(excluded, ({ reason }) => reason.code);
  return {
    ...header,
    total: verdicts.length,
    matching: kept.length,
    types: kept.slice(0, maxResults).map(typeOf),
    excludedBy: Object.fromEntries([...counts].map(([code, { length }]) => [code, length])),
    excluded: excluded.map(({ name, reason }) => ({
      name,
      reason: { ...reason, fields: { ...reason.fields } },
    })),
  };
}

function typeOf({ type, offerings }: Candidate): InstanceTypes['types'][number] {
  const onDemand = offerings.find(({ capacityType }) => capacityType === 'on-demand');
  const spot = offerings.find(({ capacityType }) => capacityType === 'spot');
  return {
    name: type.name,
    arch: type.labels[ARCH_LABEL] ?? '',
    learned: type.isLearned ?? false,
    capacity: quantitiesOf(type.capacity),
    allocatable: quantitiesOf(type.allocatable),
    labels: { ...type.labels },
    ...(onDemand?.hourlyUsd !== undefined && { onDemandHourlyUsd: onDemand.hourlyUsd }),
    ...(spot?.hourlyUsd !== undefined && {
      spotFrom: { zone: spot.zone, hourlyUsd: spot.hourlyUsd },
    }),
    offerings: offerings.map(offeringOf),
  };
}

const offeringOf = ({ zone, capacityType, hourlyUsd }: ListedOffering) => ({
  zone,
  capacityType,
  ...(hourlyUsd !== undefined && { hourlyUsd }),
});

const quantitiesOf = (resources: Resources): Record<string, string> =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, quantityOf(name, amount)]));

/** Formats an amount exactly, as Kubernetes does. */
function quantityOf(resource: string, amount: number): string {
  if (resource === CPU) return amount % 1000 === 0 ? `${amount / 1000}` : `${amount}m`;
  if (resource !== MEMORY && resource !== EPHEMERAL_STORAGE) return `${amount}`;
  const [suffix, unit] = UNITS.find(([, size]) => amount % size === 0) ?? ['', 1];
  return `${amount / unit}${suffix}`;
}

const UNITS = [
  ['Gi', GIB],
  ['Mi', MIB],
  ['Ki', 1024],
] as const;
