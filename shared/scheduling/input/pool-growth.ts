import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { PAYS_BACK_AT_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { formatOffering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { CPU } from '../../model/resources.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import { memoizePerSnapshot, type Problem } from './problem.ts';

/** The nodes that a NodePool launched for waiting pods in the growth window. */
export interface PoolGrowth {
  /** The price of these nodes, in USD per hour. */
  readonly hourlyUsd: number;
  /** The CPU that the pods of these nodes request. */
  readonly cpuMilli: number;
  /** True if it goes on: several nodes, in both halves of the window. */
  readonly isSteady: boolean;
  /** True if it came in one burst that is over: a Deployment was scaled up, or the cluster started. */
  readonly isOver: boolean;
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
    const claimsByPool = new Map<string, NodeClaim[]>();
    if (windowMs === 0) return new Map();
    const jobs = new Set(pods.flatMap(({ owner }) => (owner?.kind === 'Job' ? [owner.uid] : [])));
    for (const claim of claims) {
      if (takenAt - claim.createdAt <= windowMs && isGrowth(claim, jobs))
        getOrCreate(claimsByPool, claim.pool, () => []).push(claim);
    }
    const usdOf = createPriceLookup(snapshot);
    return new Map(
      [...claimsByPool].map(([pool, nodes]) => [
        pool,
        { hourlyUsd: sum(nodes.map(usdOf)), ...sumGrowth(nodes, takenAt, windowMs) },
      ]),
    );
  },
);

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

function sumGrowth(nodes: readonly NodeClaim[], now: EpochMs, windowMs: number): Omit<PoolGrowth, 'hourlyUsd'> {
  const middle = now - windowMs / 2;
  const times = nodes.map(({ createdAt }) => createdAt);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return {
    cpuMilli: sum(nodes.map(({ requests }) => ownValue(requests, CPU) ?? 0)),
    isSteady: nodes.length >= MIN_NODES && first <= middle && last > middle,
    isOver: nodes.length >= MIN_NODES && last - first <= BURST_MS && now - last >= BURST_MS,
  };
}
