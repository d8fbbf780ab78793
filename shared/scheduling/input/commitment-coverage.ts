import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import {
  CAPACITY_TYPE_LABEL,
  EKS_CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  NODEPOOL_LABEL,
  OS_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import { memoize } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import {
  type Commitment,
  type CoverableInstance,
  computeUsedUnits,
  sortByApplication,
} from '../../model/offerings/commitment.ts';
import type { InstanceType, Offering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { CPU, MEMORY } from '../../model/resources.ts';
import type { EpochMs } from '../../model/time.ts';
import type { SnapshotWithReservations } from './snapshot-stages.ts';

/** The instances of this cluster that commitments of the account cover. */
export interface CommitmentCoverage {
  /** Commitments that have not ended, in the order in which AWS applies them. */
  readonly commitments: readonly Commitment[];
  /** The amounts that no instance uses, by commitment, in its own unit. */
  readonly free: ReadonlyMap<string, number>;
  /** The commitment of each covered claim, by the name of the claim. */
  readonly coveredBy: ReadonlyMap<string, string>;
}

/** An on-demand instance that runs or is about to. */
interface Usage {
  readonly claim?: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly since: EpochMs;
  readonly name: string;
}

/**
 * Assigns running on-demand instances to commitments, the oldest instances first, so that the youngest
 * are the ones that cost money. Instances of node groups count, because they use the commitments as well.
 * An instance is covered as a whole or not at all, although AWS divides the last one.
 *
 * @returns undefined if there are no commitments
 */
export function computeCoverage(snapshot: ClusterSnapshot): CommitmentCoverage | undefined {
  const { settings, takenAt } = snapshot;
  const current = [...(settings?.commitments ?? []), ...(snapshot.commitments ?? [])].filter(
    ({ endsAt = Infinity }) => endsAt > takenAt,
  );
  if (current.length === 0) return undefined;
  const commitments = sortByApplication(current);
  const free = new Map(commitments.map(({ id, amount }) => [id, amount]));
  const coveredBy = new Map<string, string>();
  let uncovered = listUsages(snapshot).toSorted((a, b) => a.since - b.since || (a.name < b.name ? -1 : 1));
  const describe = createInstanceReader(snapshot);
  for (const commitment of commitments) {
    uncovered = uncovered.filter(({ claim, instanceType, zone }) => {
      const instance = describe(instanceType, zone);
      const units = instance && computeUsedUnits(commitment, instance);
      const remaining = free.get(commitment.id) ?? 0;
      if (units === undefined || units > remaining + ROUNDING) return true;
      free.set(commitment.id, remaining - units);
      if (claim !== undefined) coveredBy.set(claim, commitment.id);
      return false;
    });
  }
  return { commitments, free, coveredBy };
}

/** Sums of prices have rounding errors. */
export const ROUNDING = 1e-9;

/** Looks up the size and the on-demand price of an instance; undefined if one of them is unknown. */
export function createInstanceReader({
  instanceTypes,
  offerings,
}: Pick<ClusterSnapshot, 'instanceTypes' | 'offerings'>): (
  instanceType: string,
  zone: string,
) => CoverableInstance | undefined {
  const prices = listOnDemandPrices(offerings);
  const lists = [...new Set(Object.values(instanceTypes))].map(indexByName);
  return (instanceType, zone) => {
    const onDemandUsd = prices.get(instanceType);
    const capacity = lists.flatMap((list) => list.get(instanceType) ?? [])[0]?.capacity;
    return onDemandUsd === undefined ? undefined : { instanceType, zone, capacity: capacity ?? {}, onDemandUsd };
  };
}

// Both lists stay the same objects for minutes.
const listOnDemandPrices = memoize(
  (offerings: readonly Offering[]): ReadonlyMap<string, number> =>
    new Map(
      offerings.flatMap(({ instanceType, capacityType, hourlyUsd, overlay }) =>
        capacityType === 'on-demand' && overlay === undefined ? [[instanceType, hourlyUsd]] : [],
      ),
    ),
);
const indexByName = memoize(
  (list: readonly InstanceType[]): ReadonlyMap<string, InstanceType> => new Map(list.map((type) => [type.name, type])),
);

const listUsages = ({ claims, nodes }: ClusterSnapshot): readonly Usage[] => [
  ...claims.flatMap((claim) => toClaimUsage(claim) ?? []),
  ...nodes.flatMap((node) => toNodeUsage(node) ?? []),
];

function toClaimUsage(claim: NodeClaim): Usage | undefined {
  const { name, launch, createdAt, deletingAt } = claim;
  if (deletingAt !== undefined || claim.terminatedAt !== undefined) return undefined;
  if (!launch) return toOpenUsage(claim);
  if (launch.capacityType !== 'on-demand' || isWindows(launch.labels)) return undefined;
  const { instanceType, zone } = launch;
  return { claim: name, name, instanceType, zone, since: createdAt };
}

/** A claim that can only be launched on demand becomes its cheapest type, if EC2 has capacity. */
function toOpenUsage({ name, requirements, instanceTypes, createdAt }: NodeClaim): Usage | undefined {
  const required = toRequirements(requirements);
  const capacityTypes = required.get(CAPACITY_TYPE_LABEL);
  const isOnDemand =
    capacityTypes &&
    allowsValue(capacityTypes, 'on-demand') &&
    !allowsValue(capacityTypes, 'spot') &&
    !allowsValue(capacityTypes, 'reserved');
  const [instanceType] = instanceTypes;
  const [zone = ''] = required.get(ZONE_LABEL)?.values ?? [];
  return isOnDemand && instanceType !== undefined
    ? { claim: name, name, instanceType, zone, since: createdAt }
    : undefined;
}

/** Nodes of NodePools are counted by their claims. */
function toNodeUsage({ name, labels, createdAt }: Node): Usage | undefined {
  const instanceType = ownValue(labels, INSTANCE_TYPE_LABEL);
  const isOnDemand =
    labels[NODEPOOL_LABEL] === undefined &&
    labels[EKS_CAPACITY_TYPE_LABEL] !== 'SPOT' &&
    labels[CAPACITY_TYPE_LABEL] !== 'spot';
  if (instanceType === undefined || !isOnDemand || isWindows(labels)) return undefined;
  return { name, instanceType, zone: labels[ZONE_LABEL] ?? '', since: createdAt };
}

const isWindows = (labels: Labels): boolean => labels[OS_LABEL] === 'windows';

/**
 * Lists the instance types that a commitment covers a second time, with on-demand offerings that cost
 * nothing more. So requirements and availability hold for them as for any other type, and only the units
 * of the commitment remain to be counted, as the instances of a capacity reservation are.
 */
export function addCommittedTypes(
  snapshot: SnapshotWithReservations,
  coverage: CommitmentCoverage,
): SnapshotWithReservations {
  const usable = listUsable(snapshot, coverage);
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

const toKey = (usable: readonly CommittedType[]): string =>
  usable.map(({ commitment: { id, zone }, instanceType, units }) => [id, zone, instanceType, units]).join(';');

const extendOfferings = createListExtension<Offering>((offering, byType) =>
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

const extendList = createListExtension<InstanceType>((type, byType) =>
  type.reservation === undefined
    ? (byType.get(type.name) ?? []).map(({ commitment: { id }, units }) => ({ ...type, commitment: { id, units } }))
    : [],
);

/**
 * Creates a function that appends the committed variants of its items to a list. Lists stay the same objects for minutes,
 * and indexes are cached by list: equal commitments give the same list.
 */
function createListExtension<Item>(
  listVariants: (item: Item, byType: ReadonlyMap<string, readonly CommittedType[]>) => readonly Item[],
): (items: readonly Item[], usable: readonly CommittedType[]) => readonly Item[] {
  const extended = new WeakMap<readonly Item[], { readonly key: string; readonly all: readonly Item[] }>();
  return (items, usable) => {
    const key = toKey(usable);
    const cached = extended.get(items);
    if (cached?.key === key) return cached.all;
    const byType = Map.groupBy(usable, ({ instanceType }) => instanceType);
    const all = [...items, ...items.flatMap((item) => listVariants(item, byType))];
    extended.set(items, { key, all });
    return all;
  };
}
