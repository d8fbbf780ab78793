import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { checkPlan, countPlacedPods } from '../vectors/check-plan.ts';
import type { BenchmarkInput } from './inputs/inputs.ts';

/** The measurements of one input in one process. */
export interface Measurement {
  readonly name: string;
  /** Number of waiting pods. */
  readonly pods: number;
  readonly placed: number;
  readonly nodes: number;
  readonly hourlyUsd: number;
  /** The plan's own lower bound of the price; 0 if nothing is launched. */
  readonly lowerBoundUsd: number;
  /** The price including the fixed cost of each node, and its lower bound. */
  readonly costUsd: number;
  readonly costBoundUsd: number;
  /** The first plan of the process, with nothing compiled or cached. */
  readonly coldMs: number;
  readonly coldCpuMs: number;
  /**
   * Median of further plans after warm-up, each with a new snapshot: what a running planner takes,
   * comparable to Go's benchmarks.
   */
  readonly warmMs: number;
  /** The same in CPU time of all threads, which other load on the machine changes less. */
  readonly warmCpuMs: number;
  readonly reference?: BenchmarkInput['reference'];
  /** Number of violations that the checker finds; only on request. */
  readonly objections?: number;
}

/** The JIT compiler optimizes code that has run several times; these runs are not counted. */
const WARM_UP_RUNS = 40;
const WARM_RUNS = 15;
/**
 * Beyond this CPU time, long plans are not repeated: half of it is for warm-up, half for measured runs. Other load
 * on the machine must not shorten the warm-up.
 */
const WARM_BUDGET_CPU_MS = 12_000;
/** The kernel counts CPU time in steps of several milliseconds, so shorter plans are repeated. */
const MIN_RUN_MS = 40;

export function measure({ name, snapshot, reference }: BenchmarkInput, checks: boolean): Measurement {
  const first = snapshot();
  const { ms: coldMs, cpuMs: coldCpuMs } = measureTime([first]);
  measureRuns(snapshot, WARM_UP_RUNS);
  const warm = measureRuns(snapshot, WARM_RUNS);
  const plan = planProvisioning(first, 'decision-1');
  return {
    name,
    pods: countWaiting(first),
    placed: countPlacedPods(plan),
    nodes: plan.claims.length,
    hourlyUsd: plan.hourlyUsd,
    lowerBoundUsd: plan.bound?.leastHourlyUsd ?? 0,
    costUsd: plan.bound?.costUsd ?? 0,
    costBoundUsd: plan.bound?.leastCostUsd ?? 0,
    coldMs,
    coldCpuMs,
    warmMs: computeMedian(warm.map(({ ms }) => ms)),
    warmCpuMs: computeMedian(warm.map(({ cpuMs }) => cpuMs)),
    ...(reference ? { reference } : {}),
    ...(checks ? { objections: checkPlan(first, plan).length } : {}),
  };
}

interface PlanRun {
  readonly ms: number;
  readonly cpuMs: number;
}

function measureRuns(snapshot: () => ClusterSnapshot, maxRuns: number): PlanRun[] {
  const runs: PlanRun[] = [];
  let plansPerRun = 1;
  for (let spentCpuMs = 0; runs.length < maxRuns && spentCpuMs < WARM_BUDGET_CPU_MS / 2; ) {
    const took = measureTime(Array.from({ length: plansPerRun }, snapshot));
    runs.push(took);
    spentCpuMs += took.cpuMs * plansPerRun;
    plansPerRun = Math.ceil(MIN_RUN_MS / took.ms);
  }
  return runs;
}

const countWaiting = ({ pods }: ClusterSnapshot): number =>
  pods.reduce((count, { nodeName }) => count + (nodeName === undefined ? 1 : 0), 0);

/** Plans each snapshot once, and returns the time per plan. */
function measureTime(snapshots: readonly ClusterSnapshot[]): PlanRun {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  for (const snapshot of snapshots) planProvisioning(snapshot, 'decision-1');
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ms: ms / snapshots.length, cpuMs: (user + system) / 1000 / snapshots.length };
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
