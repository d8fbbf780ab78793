import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatEvent } from '../../shared/model/explanations/event-text.ts';
import { isManagedNode } from '../../shared/model/nodes/node.ts';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import { computeCoverage } from '../../shared/scheduling/input/commitment-coverage.ts';
import type { BilledNode, Ledger, RecordedEvent } from '../../shared/simulation/world.ts';
import type { SimulatedNode, Simulation, UnplacedPod } from '../documents/simulation.ts';

export interface SimulationEnd {
  readonly seed: number;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  readonly ledger: Ledger;
  readonly unplaced: readonly UnplacedPod[];
  readonly boundUsd: number;
  /** The price of instances that commitments pay for; `undefined` without commitments. */
  readonly coveredUsd?: number | undefined;
  /** `undefined` if no cap held launches back. */
  readonly capped?: CappedLaunches | undefined;
}

/** Summarises a simulation as plain data without facts about the machine. */
export function summarizeSimulation({
  seed,
  startedAt,
  endedAt,
  ledger,
  unplaced,
  boundUsd,
  coveredUsd,
  capped,
}: SimulationEnd): Simulation {
  const podDays = ledger.podDays(endedAt);
  return {
    seed,
    simulatedMs: endedAt - startedAt,
    pods: {
      total: ledger.createdPods,
      ran: ledger.ranPods,
      unplaced: [...unplaced],
      ...computeWaits(ledger.waitsMs),
    },
    nodes: ledger.billedNodes.map((stay) => toSimulatedNode(stay, startedAt)),
    costUsd: roundUsd(ledger.costUsd(endedAt) - (coveredUsd ?? 0)),
    ...(coveredUsd !== undefined && { coveredUsd: roundUsd(coveredUsd) }),
    boundUsd: roundUsd(boundUsd),
    requested: ledger.requestedShare(endedAt),
    moves: countMoves(ledger.billedNodes),
    ...(capped && { capped }),
    ...(podDays > 0 ? { evictionsPerPodDay: ledger.evictions / podDays } : {}),
    ...computeLifetimes(ledger.billedNodes),
  };
}

const toSimulatedNode = (stay: BilledNode, startedAt: EpochMs): SimulatedNode => ({
  claim: stay.claim,
  pool: stay.pool,
  type: stay.instanceType,
  zone: stay.zone,
  capacityType: stay.capacityType,
  hourlyUsd: stay.hourlyUsd,
  launchedAtMs: Math.round(stay.launchedAt - startedAt),
  ...(stay.removedAt === undefined ? {} : { removedAtMs: Math.round(stay.removedAt - startedAt) }),
  pods: [...stay.pods],
});

const computeWaits = (waitsMs: readonly number[]): Pick<Simulation['pods'], 'waitMs'> => {
  if (waitsMs.length === 0) return {};
  const sorted = waitsMs.toSorted((a, b) => a - b);
  return { waitMs: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) } };
};

function computeLifetimes(stays: readonly BilledNode[]): Pick<Simulation, 'nodeLifetimeMs'> {
  const sorted = stays
    .flatMap(({ launchedAt, removedAt }) => (removedAt === undefined ? [] : removedAt - launchedAt))
    .toSorted((a, b) => a - b);
  if (sorted.length === 0) return {};
  return { nodeLifetimeMs: { p50: percentile(sorted, 0.5), p10: percentile(sorted, 0.1) } };
}

/** Computes the smallest value that at least `share` of all values do not exceed. */
const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);

function countMoves(stays: readonly BilledNode[]): Simulation['moves'] {
  const removals = (...reasons: readonly string[]): number =>
    stays.filter(({ removal }) => removal !== undefined && reasons.includes(removal)).length;
  return {
    consolidations: removals('Underutilized', 'Empty'),
    drifts: removals('Drifted'),
    expirations: removals('Expired'),
    interruptions: removals('Interrupted'),
  };
}

/** Rounds to a millionth of a dollar: further digits are floating-point noise. */
const roundUsd = (usd: number): number => Math.round(usd * 1e6) / 1e6;

type CappedLaunches = NonNullable<Simulation['capped']>;

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
