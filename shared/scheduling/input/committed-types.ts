import { OS_LABEL } from '../../model/labels.ts';
import { type Commitment, computeUsedUnits } from '../../model/offerings/commitment.ts';
import type { InstanceType, Offering } from '../../model/offerings/instance-type.ts';
import { CPU, MEMORY } from '../../model/resources.ts';
import { type CommitmentCoverage, createInstanceReader, ROUNDING } from './commitment-coverage.ts';
import type { SnapshotWithReservations } from './snapshot-stages.ts';

/**
 * Lists the instance types that a commitment covers a second time, with on-demand offerings that cost
 * nothing more. So requirements and availability hold for them as for any other type, and only the units
 * of the commitment remain to be counted, as the instances of a capacity reservation are.
 */
export function addCommittedTypes(
  snapshot: SnapshotWithReservations,
  coverage: CommitmentCoverage | undefined,
): SnapshotWithReservations {
  const usable = coverage ? listUsable(snapshot, coverage) : [];
  if (usable.length === 0) return snapshot;
  return {
    ...snapshot,
    offerings: extendOfferings(snapshot.offerings, usable),
    instanceTypes: Object.fromEntries(
      Object.entries(snapshot.instanceTypes).map(([pool, list]) => [pool, extendList(list, usable)]),
    ),
  };
}

/** A covered instance costs nothing more, but cheaper types still come first. */
const COMMITTED_SHARE_OF_PRICE = 1e-6;

/** The marginal price of a covered instance, in USD per hour. */
export const toCommittedUsd = (onDemandUsd: number): number => onDemandUsd * COMMITTED_SHARE_OF_PRICE;

/** A type that a commitment with enough free units covers. */
interface CommittedType {
  readonly commitment: Commitment;
  readonly instanceType: string;
  readonly units: number;
}

function listUsable(
  { instanceTypes, offerings }: SnapshotWithReservations,
  { commitments, free }: CommitmentCoverage,
): readonly CommittedType[] {
  const types = new Map([...new Set(Object.values(instanceTypes))].flat().map((type) => [type.name, type]));
  const describe = createInstanceReader({ instanceTypes, offerings });
  return commitments.flatMap((commitment) => {
    const covered = [...types.values()].flatMap((type): CommittedType[] => {
      if (type.reservation !== undefined || type.labels[OS_LABEL] === 'windows') return [];
      const instance = describe(type.name, commitment.zone ?? '');
      const units = instance && computeUsedUnits(commitment, instance);
      return units === undefined ? [] : [{ commitment, instanceType: type.name, units }];
    });
    // If nothing fits any more, the types are not listed again at each change of what is left.
    const remaining = (free.get(commitment.id) ?? 0) + ROUNDING;
    if (!covered.some(({ units }) => units <= remaining)) return [];
    return commitment.unit === 'usd' ? keepCheapestOfShape(covered, types) : covered;
  });
}

/** A Savings Plan covers hundreds of types: of each shape, the cheapest ones are planned with. */
const TYPES_PER_SHAPE = 2;

function keepCheapestOfShape(
  covered: readonly CommittedType[],
  types: ReadonlyMap<string, InstanceType>,
): readonly CommittedType[] {
  const toShape = ({ instanceType }: CommittedType): string => {
    const { capacity = {}, labels = {} } = types.get(instanceType) ?? {};
    const devices = Object.keys(capacity).filter((name) => name.includes('/'));
    return [
      capacity[CPU],
      Math.round(Math.log2(capacity[MEMORY] ?? 1)),
      labels['kubernetes.io/arch'],
      ...devices,
    ].join();
  };
  return [...Map.groupBy(covered, toShape).values()].flatMap((alike) =>
    alike.toSorted((a, b) => a.units - b.units || (a.instanceType < b.instanceType ? -1 : 1)).slice(0, TYPES_PER_SHAPE),
  );
}

// Lists stay the same objects for minutes, and indexes are cached by list.
const extendedOfferings = new WeakMap<
  readonly Offering[],
  { readonly key: string; readonly all: readonly Offering[] }
>();
const extendedLists = new WeakMap<
  readonly InstanceType[],
  { readonly key: string; readonly all: readonly InstanceType[] }
>();

const toKey = (usable: readonly CommittedType[]): string =>
  usable.map(({ commitment: { id, zone }, instanceType, units }) => [id, zone, instanceType, units]).join(';');

function extendOfferings(offerings: readonly Offering[], usable: readonly CommittedType[]): readonly Offering[] {
  const key = toKey(usable);
  const cached = extendedOfferings.get(offerings);
  if (cached?.key === key) return cached.all;
  const byType = Map.groupBy(usable, ({ instanceType }) => instanceType);
  const committed = offerings.flatMap((offering) =>
    offering.capacityType === 'on-demand' && offering.reservation === undefined
      ? (byType.get(offering.instanceType) ?? [])
          .filter(({ commitment: { zone } }) => zone === undefined || zone === offering.zone)
          .map(({ commitment }) => ({
            ...offering,
            hourlyUsd: toCommittedUsd(offering.hourlyUsd),
            commitment: commitment.id,
          }))
      : [],
  );
  const all = [...offerings, ...committed];
  extendedOfferings.set(offerings, { key, all });
  return all;
}

function extendList(list: readonly InstanceType[], usable: readonly CommittedType[]): readonly InstanceType[] {
  const key = toKey(usable);
  const cached = extendedLists.get(list);
  if (cached?.key === key) return cached.all;
  const byType = Map.groupBy(usable, ({ instanceType }) => instanceType);
  const committed = list.flatMap((type) =>
    type.reservation === undefined
      ? (byType.get(type.name) ?? []).map(({ commitment: { id }, units }) => ({
          ...type,
          commitment: { id, units },
        }))
      : [],
  );
  const all = [...list, ...committed];
  extendedLists.set(list, { key, all });
  return all;
}
