import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatEvent } from '../../shared/model/explanations/event-kinds.ts';
import { isManagedNode } from '../../shared/model/nodes/node.ts';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import { computeCoverage } from '../../shared/scheduling/input/commitment-coverage.ts';
import type { RecordedEvent } from '../../shared/simulation/world.ts';
import { computeRepackedHourlyUsd } from '../../shared/what-if/repacked-price.ts';
import type { Simulation } from '../documents/simulation.ts';

export type CappedLaunches = NonNullable<Simulation['capped']>;

/** Collects the launches that a cap held back. */
interface CapMeter {
  /** Reads the events since the last sample. */
  sample(events: (afterSeq?: number) => readonly RecordedEvent[]): void;
  capped(): CappedLaunches | undefined;
}

export function createCapMeter(startedAt: EpochMs): CapMeter {
  let lastSeq = 0;
  let capped: CappedLaunches | undefined;
  return {
    sample(events) {
      for (const { seq, event } of events(lastSeq)) {
        lastSeq = seq;
        if (event.kind !== 'capped' || event.nodes <= (capped?.nodes ?? 0)) continue;
        const firstAtMs = capped?.firstAtMs ?? Math.round(event.at - startedAt);
        capped = { firstAtMs, nodes: event.nodes, text: formatEvent(event) };
      }
    },
    capped: () => capped,
  };
}

/** Sums up the lower bound of the cluster's cost from samples. */
interface BoundMeter {
  /**
   * @param at - virtual time of the sample, not before the previous one
   */
  sample(at: EpochMs, hourlyUsd: number): void;
  totalUsd(): number;
}

export function createBoundMeter(startedAt: EpochMs): BoundMeter {
  let last = { at: startedAt, hourlyUsd: 0 };
  let total = 0;
  return {
    sample(at, hourlyUsd) {
      // Pods may come or go between two samples, so only the smaller value is certain.
      const guaranteed = Math.min(last.hourlyUsd, hourlyUsd);
      total += (guaranteed * (at - last.at)) / HOUR_MS;
      last = { at, hourlyUsd };
    },
    totalUsd: () => total,
  };
}

/** Compares what all running pods would cost on new nodes with the lower bound, once an hour. */
interface RepackingMeter {
  /** @param boundHourlyUsd - the lower bound of the same snapshot */
  sample(snapshot: ClusterSnapshot, boundHourlyUsd: number): void;
  /**
   * The cost of hourly re-packing over the time in which the lower bound cost `boundUsd`; `undefined` without a
   * sample.
   */
  totalUsd(boundUsd: number): number | undefined;
}

export function createRepackingMeter(startedAt: EpochMs): RepackingMeter {
  let lastAt = startedAt;
  const sums = { repackedUsd: 0, boundUsd: 0 };
  return {
    sample(snapshot, boundHourlyUsd) {
      if (snapshot.takenAt - lastAt < HOUR_MS) return;
      lastAt = snapshot.takenAt;
      const repackedUsd = computeRepackedHourlyUsd(snapshot);
      if (repackedUsd === undefined) return;
      sums.repackedUsd += repackedUsd;
      sums.boundUsd += boundHourlyUsd;
    },
    totalUsd: (boundUsd) => (sums.boundUsd > 0 ? (boundUsd * sums.repackedUsd) / sums.boundUsd : undefined),
  };
}

/** Sums up the price of running instances that commitments pay for. */
interface CoverageMeter {
  sample(snapshot: ClusterSnapshot): void;
  /** `undefined` without commitments. */
  totalUsd(): number | undefined;
}

export function createCoverageMeter(startedAt: EpochMs): CoverageMeter {
  let last = { at: startedAt, hourlyUsd: 0 };
  let total: number | undefined;
  return {
    sample(snapshot) {
      const coverage = computeCoverage(snapshot);
      total = (total ?? 0) + (last.hourlyUsd * (snapshot.takenAt - last.at)) / HOUR_MS;
      const hourlyUsd = snapshot.claims
        .filter(({ name }) => coverage?.coveredBy.has(name))
        .reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
      last = { at: snapshot.takenAt, hourlyUsd };
      if (!coverage && total === 0) total = undefined;
    },
    totalUsd: () => total,
  };
}

/** Keeps the pods that occupy a node of ours: the part of the snapshot that costs money now. */
export function keepRunningPods(snapshot: ClusterSnapshot): ClusterSnapshot {
  const ours = new Set(snapshot.nodes.filter(isManagedNode).map(({ name }) => name));
  return { ...snapshot, pods: snapshot.pods.filter(({ nodeName = '' }) => ours.has(nodeName)) };
}
