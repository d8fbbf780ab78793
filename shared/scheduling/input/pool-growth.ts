import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { PAYS_BACK_AT_ANNOTATION } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { formatOffering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { CPU } from '../../model/resources.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import { memoizePerSnapshot, type Problem } from './problem.ts';

/** The nodes that a NodePool launched for waiting pods in the growth window. */
export interface PoolGrowth {
  /** The price of these nodes, in USD per hour; without the first burst of the pool, its start. */
  readonly hourlyUsd: number;
  /** The CPU that the pods of these nodes request. */
  readonly cpuMilli: number;
  /** True if it goes on: several nodes, in both halves of the window. */
  readonly isSteady: boolean;
  /**
   * When it has ended if the pool launches nothing more: with the window, or ten minutes after a burst, such as for a
   * Deployment that was scaled up. Past if the burst is over.
   */
  readonly endsAt: EpochMs;
}

/** Fewer nodes are chance. */
const MIN_NODES = 3;
/** Launches of one burst are not further apart. As long without a launch, it is over. */
const BURST_MS = 10 * MINUTE_MS;

/**
 * Computes how each NodePool grows, from the claims of the snapshot. Replacements of other nodes are not
 * counted, nor are nodes for Jobs, which end. Empty if growth is not considered.
 */
export const computePoolGrowth: (problem: Problem) => ReadonlyMap<string, PoolGrowth> = memoizePerSnapshot(
  ({ snapshot }) => {
    const { claims, pods, settings, takenAt } = snapshot;
    const windowMs = settings?.growthWindowMs ?? 0;
    if (windowMs === 0) return new Map();
    const jobs = new Set(pods.flatMap(({ owner }) => (owner?.kind === 'Job' ? [owner.uid] : [])));
    const launches = Map.groupBy(
      claims.filter((claim) => isGrowth(claim, jobs)),
      ({ pool }) => pool,
    );
    const startOf = findStarts(claims);
    const usdOf = createPriceLookup(snapshot);
    const growth = [...launches].flatMap(([pool, all]): [string, PoolGrowth][] => {
      const recent = all.filter(({ createdAt }) => takenAt - createdAt <= windowMs);
      if (recent.length === 0) return [];
      const later = recent.filter(({ createdAt }) => createdAt > (startOf.get(pool) ?? takenAt) + BURST_MS);
      const endsAt = findGrowthEnd(later, all, windowMs);
      return [[pool, { hourlyUsd: sum(later.map(usdOf)), endsAt, ...sumGrowth(recent, takenAt, windowMs) }]];
    });
    return new Map(growth);
  },
);

/** When the oldest claim of each NodePool was created: a start does not say how demand goes on. */
function findStarts(claims: readonly NodeClaim[]): ReadonlyMap<string, EpochMs> {
  const starts = new Map<string, EpochMs>();
  for (const { pool, createdAt } of claims) starts.set(pool, Math.min(starts.get(pool) ?? createdAt, createdAt));
  return starts;
}

function isGrowth({ deletingAt, annotations, expects = {} }: NodeClaim, jobs: ReadonlySet<string>) {
  const owners = Object.keys(expects);
  return (
    deletingAt === undefined &&
    ownValue(annotations, PAYS_BACK_AT_ANNOTATION) === undefined &&
    owners.length > 0 &&
    !owners.every((owner) => jobs.has(owner))
  );
}

/** Without prices, launches have none: their offerings have weights. */
function createPriceLookup({
  offerings,
  unpriced,
}: Pick<ClusterSnapshot, 'offerings' | 'unpriced'>): (claim: NodeClaim) => number {
  if (!unpriced) return ({ launch }) => launch?.hourlyUsd ?? 0;
  const weights = new Map(offerings.map((one) => [formatOffering(one), one.hourlyUsd]));
  return ({ launch }) => (launch ? (weights.get(formatOffering(launch)) ?? 0) : 0);
}

const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

function sumGrowth(
  nodes: readonly NodeClaim[],
  now: EpochMs,
  windowMs: number,
): Pick<PoolGrowth, 'cpuMilli' | 'isSteady'> {
  const middle = now - windowMs / 2;
  const times = nodes.map(({ createdAt }) => createdAt);
  return {
    cpuMilli: sum(nodes.map(({ requests }) => ownValue(requests, CPU) ?? 0)),
    isSteady: nodes.length >= MIN_NODES && Math.min(...times) <= middle && Math.max(...times) > middle,
  };
}

/** @param all - also those before the window: the first nodes of a burst leave it before the others */
function findGrowthEnd(recent: readonly NodeClaim[], all: readonly NodeClaim[], windowMs: number): EpochMs {
  const times = recent.map(({ createdAt }) => createdAt);
  const last = Math.max(0, ...times);
  const together = all.filter(({ createdAt }) => createdAt >= last - BURST_MS && createdAt <= last);
  const isBurst = together.length >= MIN_NODES && last - Math.min(...times) <= BURST_MS;
  return last + (isBurst ? BURST_MS : windowMs);
}
