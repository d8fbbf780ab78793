import type { EpochMs } from '../../shared/model/time.ts';
import type { BilledNode, Ledger } from '../../shared/simulation/world.ts';
import type { SimulatedNode, Simulation, UnplacedPod } from '../documents/simulation.ts';
import type { CappedLaunches } from './simulation-meters.ts';

export interface SimulationEnd {
  readonly seed: number;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  readonly ledger: Ledger;
  readonly unplaced: readonly UnplacedPod[];
  /** `undefined` if the region is not priced. */
  readonly costs?: SimulatedCosts | undefined;
  /** `undefined` if no cap held launches back. */
  readonly capped?: CappedLaunches | undefined;
}

interface SimulatedCosts {
  readonly boundUsd: number;
  /** The cost of hourly re-packing; `undefined` if it was never sampled. */
  readonly repackedUsd?: number | undefined;
  /** The price of instances that commitments pay for; `undefined` without commitments. */
  readonly coveredUsd?: number | undefined;
}

/** Summarises a simulation as plain data without facts about the machine. */
export function summarizeSimulation({
  seed,
  startedAt,
  endedAt,
  ledger,
  unplaced,
  costs,
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
    nodes: ledger.billedNodes.map((stay) => toSimulatedNode(stay, startedAt, costs !== undefined)),
    ...(costs && summarizeCosts(ledger.costUsd(endedAt), costs)),
    requested: ledger.requestedShare(endedAt),
    moves: countMoves(ledger.billedNodes),
    ...(capped && { capped }),
    ...(podDays > 0 && { evictionsPerPodDay: ledger.evictions / podDays }),
    ...computeLifetimes(ledger.billedNodes),
  };
}

const summarizeCosts = (
  costUsd: number,
  { boundUsd, repackedUsd, coveredUsd }: SimulatedCosts,
): Pick<Simulation, 'costUsd' | 'coveredUsd' | 'boundUsd' | 'repackedUsd'> => ({
  costUsd: roundUsd(costUsd - (coveredUsd ?? 0)),
  ...(coveredUsd !== undefined && { coveredUsd: roundUsd(coveredUsd) }),
  boundUsd: roundUsd(boundUsd),
  ...(repackedUsd !== undefined && { repackedUsd: roundUsd(repackedUsd) }),
});

const toSimulatedNode = (stay: BilledNode, startedAt: EpochMs, isPriced: boolean): SimulatedNode => ({
  claim: stay.claim,
  pool: stay.pool,
  type: stay.instanceType,
  zone: stay.zone,
  capacityType: stay.capacityType,
  ...(isPriced && { hourlyUsd: stay.hourlyUsd }),
  launchedAtMs: Math.round(stay.launchedAt - startedAt),
  ...(stay.removedAt !== undefined && { removedAtMs: Math.round(stay.removedAt - startedAt) }),
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
