import type { ClusterManifests } from '../../../shared/api/manifests/cluster-manifests.ts';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import type { DecideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import { createBundledCatalogue } from '../../../shared/ec2/catalogue/bundled-catalogue.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { computeFleetBound } from '../../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { createOpenWorld } from '../../../shared/simulation/create-world.ts';
import type { BilledNode, Ledger } from '../../../shared/simulation/world.ts';
import { computeRepackedHourlyUsd } from '../../../shared/what-if/repacked-price.ts';
import { aNodeClass } from '../../support/builders.ts';
import { addParts, computeDistanceParts, NO_DISTANCE } from './distance-parts.ts';
import { createWeekCluster, type WeekSettings } from './week-cluster.ts';
import { playWeek } from './week-events.ts';
import type { WeekFigures } from './week-result.ts';

/** A Monday. */
const STARTS_AT: EpochMs = Date.UTC(2026, 0, 5);
/** Left out of all figures: the cluster begins without nodes. */
const WARM_UP_MS = 2 * HOUR_MS;
/** Pods come and go in between, so the bound is taken several times an hour. */
const SAMPLE_EVERY_MS = 15 * MINUTE_MS;
/** The re-packed price needs a whole plan, so it is compared with the bound once an hour. */
const SAMPLES_PER_PLAN = 4;

export interface WeekRun extends WeekSettings {
  readonly days: number;
  /** Which nodes go; ours by default. */
  readonly decide?: DecideDisruption;
  readonly settings?: DecisionSettings;
  /** True if the right to patch pods was given. */
  readonly mayRankPods?: boolean;
  /** The policy of both NodePools; `WhenEmptyOrUnderutilized` by default. */
  readonly consolidationPolicy?: NodePool['disruption']['policy'];
}

/** Runs the controllers over a simulated week. Equal settings give equal figures, besides the time. */
export async function runWeek(run: WeekRun): Promise<WeekFigures> {
  const began = performance.now();
  const cluster = createWeekCluster(run);
  const open = createOpenWorld({
    seed: run.seed,
    startAt: STARTS_AT,
    manifests: withPolicy(cluster.manifests, run.consolidationPolicy),
    catalogue: createBundledCatalogue(() => aNodeClass()),
    options: { mayRankPods: run.mayRankPods === true },
  });
  const { world } = open;
  const { clock, ledger } = world;
  const nodeWrites = countNodeWrites(world.ports.cluster);
  const ports = {
    ...world.ports,
    cluster: nodeWrites.cluster,
    settings: run.settings ?? DEFAULT_SETTINGS,
  };
  world.consume((hint) =>
    hint.topic === 'disrupt' && run.decide ? reconcileDisruption(ports, run.decide) : dispatch(ports, hint),
  );
  const endsAt = STARTS_AT + run.days * 24 * HOUR_MS;
  playWeek(open, cluster, run, endsAt);

  await clock.runUntil(STARTS_AT + WARM_UP_MS);
  const start = takeReading(ledger, clock.now());
  const writesBefore = nodeWrites.count();
  let boundUsd = 0;
  let last = computeBound(await observeCluster(ports));
  let peakNodes = 0;
  const hourly = { boundUsd: 0, repackedUsd: 0, distance: NO_DISTANCE };
  for (let sample = 1; clock.now() < endsAt; sample++) {
    await clock.runUntil(clock.now() + SAMPLE_EVERY_MS);
    const snapshot = await observeCluster(ports);
    const next = computeBound(snapshot);
    boundUsd += ((last + next) / 2) * (SAMPLE_EVERY_MS / HOUR_MS);
    last = next;
    peakNodes = Math.max(peakNodes, open.api.nodes.list().length);
    if (sample % SAMPLES_PER_PLAN !== 0) continue;
    const repackedUsd = computeRepackedHourlyUsd(snapshot);
    if (repackedUsd === undefined) continue;
    hourly.boundUsd += next;
    hourly.repackedUsd += repackedUsd;
    hourly.distance = addParts(hourly.distance, computeDistanceParts(snapshot));
  }

  const end = takeReading(ledger, clock.now());
  const costUsd = end.costUsd - start.costUsd;
  const waits = ledger.waitsMs.slice(start.waits).toSorted((a, b) => a - b);
  const billed = ledger.billedNodes.filter(({ launchedAt }) => launchedAt > STARTS_AT + WARM_UP_MS);
  const lifetimes = billed
    .flatMap(({ launchedAt, removedAt }) => (removedAt === undefined ? [] : [removedAt - launchedAt]))
    .toSorted((a, b) => a - b);
  return {
    costUsd,
    boundUsd,
    toBound: costUsd / boundUsd,
    toRepacked: (costUsd / boundUsd) * (hourly.boundUsd / hourly.repackedUsd),
    distance: addParts(NO_DISTANCE, hourly.distance, 1 / hourly.boundUsd),
    evictionsPerPodDay: (end.evictions - start.evictions) / (end.podDays - start.podDays),
    nodeWritesPerNodeDay: (nodeWrites.count() - writesBefore) / sumNodeDays(ledger.billedNodes, start.at, end.at),
    launches: billed.length,
    waitMs: { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) },
    nodeLifetimeMs: { p50: percentile(lifetimes, 0.5), p10: percentile(lifetimes, 0.1) },
    peakNodes,
    pods: end.created - start.created,
    removals: countRemovals(billed),
    tookMs: performance.now() - began,
  };
}

const withPolicy = (
  manifests: ClusterManifests,
  policy: WeekRun['consolidationPolicy'] = 'WhenEmptyOrUnderutilized',
): ClusterManifests => ({
  ...manifests,
  pools: manifests.pools.map((pool) => ({ ...pool, disruption: { ...pool.disruption, policy } })),
});

/** The lower bound of the running pods, in USD per hour. */
const computeBound = (snapshot: ClusterSnapshot): number =>
  computeFleetBound({
    ...snapshot,
    pods: snapshot.pods.filter(({ nodeName }) => nodeName !== undefined),
  });

/** Counts changes and deletions of Nodes: each is sent to every client that watches Nodes. */
function countNodeWrites(cluster: Cluster) {
  let count = 0;
  const counted: Cluster = {
    ...cluster,
    changeNode(node, change) {
      count += 1;
      return cluster.changeNode(node, change);
    },
    deleteNode(node) {
      count += 1;
      return cluster.deleteNode(node);
    },
  };
  return { cluster: counted, count: () => count };
}

const sumNodeDays = (nodes: readonly BilledNode[], from: EpochMs, to: EpochMs): number =>
  nodes.reduce((sum, { launchedAt, removedAt = to }) => {
    return sum + Math.max(0, Math.min(removedAt, to) - Math.max(launchedAt, from));
  }, 0) / DAY_MS;

const takeReading = (ledger: Ledger, at: EpochMs) => ({
  at,
  costUsd: ledger.costUsd(at),
  evictions: ledger.evictions,
  podDays: ledger.podDays(at),
  waits: ledger.waitsMs.length,
  created: ledger.createdPods,
});

/** Computes the smallest value that at least `share` of all values do not exceed. */
export const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);

function countRemovals(nodes: readonly BilledNode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { removal } of nodes) {
    if (removal !== undefined) counts[removal] = (counts[removal] ?? 0) + 1;
  }
  return counts;
}
