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
import type { EpochMs } from '../../model/time.ts';

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
