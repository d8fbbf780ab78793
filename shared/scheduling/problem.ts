import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Pod } from '../model/pod.ts';
import { maxResources, NO_RESOURCES, type Resources } from '../model/resources.ts';
import { USUAL_SETTINGS } from '../model/settings.ts';
import type { DeviceBook } from './devices/device-book.ts';
import { type ExistingBin, existingBins } from './nodes/existing-bins.ts';
import {
  type LimitedDrivers,
  limitedDrivers,
  withAttachLimits,
  withAttachments,
} from './pods/attach-limits.ts';
import { withCountedDaemons } from './pods/counted-daemons.ts';
import { withLiveRequests } from './pods/live-daemons.ts';
import { type OfferingIndex, offeringIndex } from './types/offering-index.ts';
import { type Reservations, reservationsOf, withReservations } from './types/reservations.ts';
import { type Template, templatesOf, type UnusablePool } from './types/templates.ts';
import { type TypeIndex, typeIndex, typesOfClaim } from './types/type-index.ts';
import { withOverlays } from './types/with-overlays.ts';
import { addTimes, type ResourceColumns, toVector, type Vector } from './vectors.ts';

/** What a pool has already, as far as limits count it. */
export interface PoolUsage {
  readonly capacity: Vector;
  nodes: number;
}

/** A snapshot prepared for packing: numbered, indexed and summed up, once for all that is asked. */
export interface Problem {
  readonly snapshot: ClusterSnapshot;
  readonly index: TypeIndex;
  readonly offerings: OfferingIndex;
  readonly columns: ResourceColumns;
  /** Usable pools, heaviest first. */
  readonly templates: readonly Template[];
  readonly unusable: readonly UnusablePool[];
  readonly bins: readonly ExistingBin[];
  /** The same with those that are looked at as if they were gone: rules count what runs there. */
  readonly running: readonly ExistingBin[];
  readonly usage: ReadonlyMap<string, PoolUsage>;
  /** Absent: no volume is counted. */
  readonly attachLimits?: LimitedDrivers;
  /** Absent: nothing is reserved. */
  readonly reservations?: Reservations;
  /** While a batch is placed that claims devices: which of them are in use. */
  readonly devices?: DeviceBook;
  /** What a node costs beside its instance, in USD per hour. */
  readonly perNodeUsd: number;
}

export function prepare(seen: ClusterSnapshot): Problem {
  const observed = withCountedDaemons(withLiveRequests(seen));
  const attachLimits = limitedDrivers(observed);
  const sold = withReservations(withOverlays(observed));
  const snapshot = withAttachLimits(sold, attachLimits);
  const index = typeIndex(snapshot.instanceTypes);
  const { offerings: listed, unavailable, takenAt } = snapshot;
  const offerings = offeringIndex(index, listed, unavailable, takenAt);
  const columns = index.columnsWith(resourceNames(snapshot));
  const reservations = reservationsOf(snapshot, index);
  const { usable, unusable } = templatesOf(snapshot, index, offerings, columns);
  const bins = withAttachments(
    existingBins(snapshot, index, columns),
    snapshot,
    columns,
    attachLimits,
  );
  return {
    snapshot,
    index,
    offerings,
    columns,
    templates: usable,
    unusable,
    bins,
    running: bins,
    usage: usageByPool(bins, snapshot, index, columns),
    ...(attachLimits ? { attachLimits } : {}),
    ...(reservations ? { reservations } : {}),
    perNodeUsd: (snapshot.settings ?? USUAL_SETTINGS).perNodeHourlyUsd,
  };
}

/** Names that no instance type has, but that somebody asks for, limits or offers. */
function* resourceNames({ pods, nodes, pools, daemonSets }: ClusterSnapshot): Iterable<string> {
  const seen = new Set<Pod['spec']>();
  for (const { spec } of pods) {
    if (seen.has(spec)) continue;
    seen.add(spec);
    yield* Object.keys(spec.requests);
  }
  for (const { template } of daemonSets) yield* Object.keys(template.spec.requests);
  for (const { allocatable } of nodes) yield* Object.keys(allocatable);
  for (const { limits } of pools) yield* Object.keys(limits);
}

/** @see Karpenter: limits count nodes and claims of the pool that are not being deleted */
function usageByPool(
  bins: readonly ExistingBin[],
  { instanceTypes }: ClusterSnapshot,
  index: TypeIndex,
  columns: ResourceColumns,
): Map<string, PoolUsage> {
  const usage = new Map<string, PoolUsage>();
  for (const bin of bins) {
    const { claim } = bin;
    if (!claim || !countsForLimits(bin)) continue;
    const pool = usage.get(claim.pool) ?? {
      capacity: new Float64Array(columns.names.length),
      nodes: 0,
    };
    usage.set(claim.pool, pool);
    addTimes(
      pool.capacity,
      toVector(columns, limitedCapacity(claim, bin, instanceTypes, index)),
      1,
    );
    pool.nodes += 1;
  }
  return usage;
}

const countsForLimits = ({ claim }: ExistingBin): boolean =>
  claim !== undefined && claim.deletingAt === undefined;

const limitedCapacity = (
  claim: NodeClaim,
  { node }: ExistingBin,
  instanceTypes: ClusterSnapshot['instanceTypes'],
  index: TypeIndex,
): Resources => claim.launch?.capacity ?? node?.capacity ?? largestOf(claim, instanceTypes, index);

/**
 * The problem as it is once a node is gone: what takes its place may use what it had of the limits.
 *
 * @see Karpenter: a simulation leaves its candidates out of the nodes that count for limits
 */
export function problemWithout(problem: Problem, name: string): Problem {
  const { bins, snapshot, index, columns } = problem;
  const gone = bins.find((bin) => bin.name === name);
  const reduced = { ...problem, bins: bins.filter((bin) => bin !== gone) };
  const pool = gone?.claim?.pool;
  const used = pool === undefined ? undefined : problem.usage.get(pool);
  if (!gone?.claim || pool === undefined || !used || !countsForLimits(gone)) return reduced;

  const capacity = used.capacity.slice();
  const freed = limitedCapacity(gone.claim, gone, snapshot.instanceTypes, index);
  addTimes(capacity, toVector(columns, freed), -1);
  const usage = new Map(problem.usage).set(pool, { capacity, nodes: used.nodes - 1 });
  return { ...reduced, usage };
}

/** Until it is launched a claim may become any of its types: limits must hold for each. */
const largestOf = (
  claim: NodeClaim,
  instanceTypes: ClusterSnapshot['instanceTypes'],
  index: TypeIndex,
): Resources =>
  typesOfClaim(claim, instanceTypes, index)
    .map(({ capacity }) => capacity)
    .reduce(maxResources, NO_RESOURCES);
