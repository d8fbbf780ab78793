import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { checkPlan, listPlacedPods } from '../vectors/check-plan.ts';
import type { BenchmarkInput } from './inputs/inputs.ts';

/** What one process measured of one input. */
export interface Measurement {
  readonly name: string;
  /** That wait for a place. */
  readonly pods: number;
  readonly placed: number;
  readonly nodes: number;
  readonly hourlyUsd: number;
  /** Of that, by the plan's own account; 0 where nothing is launched. */
  readonly lowerBoundUsd: number;
  /** The price with what each node costs beside its instance, and the bound of that. */
  readonly costUsd: number;
  readonly costBoundUsd: number;
  /** The first plan of the process: nothing is compiled or remembered. */
  readonly coldMs: number;
  /**
   * The median of further ones, each on a snapshot that was never seen before, once the process has
   * warmed up: what a planner takes that has decided before, and what Go's benchmarks report.
   */
  readonly warmMs: number;
  /** The same as the processor's time: what is left when others keep the machine busy. */
  readonly warmCpuMs: number;
  readonly reference?: BenchmarkInput['reference'];
  /** Only where asked for: how much the checker objects to. */
  readonly objections?: number;
}

/** The compiler looks at what has run some times: these are not counted. */
const WARM_UP_RUNS = 10;
const WARM_RUNS = 15;
/** Long ones are not repeated beyond this, one half to warm up and one that counts. */
const WARM_BUDGET_MS = 12_000;

export function measure(
  { name, snapshot, reference }: BenchmarkInput,
  checks: boolean,
): Measurement {
  const first = snapshot();
  const { ms: coldMs } = measureTime(() => planProvisioning(first, 'decision-1'));
  measureRuns(snapshot, WARM_UP_RUNS);
  const warm = measureRuns(snapshot, WARM_RUNS);
  const plan = planProvisioning(first, 'decision-1');
  return {
    name,
    pods: countWaiting(first),
    placed: listPlacedPods(plan),
    nodes: plan.claims.length,
    hourlyUsd: plan.hourlyUsd,
    lowerBoundUsd: plan.bound?.leastHourlyUsd ?? 0,
    costUsd: plan.bound?.costUsd ?? 0,
    costBoundUsd: plan.bound?.leastCostUsd ?? 0,
    coldMs,
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

function measureRuns(snapshot: () => ClusterSnapshot, most: number): PlanRun[] {
  const runs: PlanRun[] = [];
  for (let spent = 0; runs.length < most && spent < WARM_BUDGET_MS / 2; ) {
    const fresh = snapshot();
    const took = measureTime(() => planProvisioning(fresh, 'decision-1'));
    runs.push(took);
    spent += took.ms;
  }
  return runs;
}

const countWaiting = ({ pods }: ClusterSnapshot): number =>
  pods.reduce((count, { nodeName }) => count + (nodeName === undefined ? 1 : 0), 0);

function measureTime(work: () => unknown): PlanRun {
  const cpuBefore = process.threadCpuUsage();
  const began = performance.now();
  work();
  const ms = performance.now() - began;
  const { user, system } = process.threadCpuUsage(cpuBefore);
  return { ms, cpuMs: (user + system) / 1000 };
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
