import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import type { Answer } from '../answer.ts';
import { EXIT } from '../exit.ts';
import type { Speed } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { durationText } from '../render/numbers.ts';
import { simulationText } from '../render/simulation.ts';
import { advance } from './advance.ts';
import { boundMeter, runningOnly } from './bound-meter.ts';
import { decisionSettingsOf } from '../decision-settings.ts';
import { manifestsAt } from '../manifests/cluster-manifests.ts';
import { STARTS_AT, simulatedCluster, warningsAbout } from './simulated-cluster.ts';
import { simulationOf } from './simulation-report.ts';
import { unplacedPods } from './unplaced-pods.ts';

export interface SimulateRequest {
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly forMs: number;
  readonly seed: number;
  readonly speed: Speed;
  readonly failOnUnplaced: boolean;
}

/** Runs the manifests for as long as was asked, or until it is told to stop. */
export async function simulate(
  request: SimulateRequest,
  { io, progress, stop, detail }: Invocation,
): Promise<Answer> {
  const manifests = await manifestsAt(request.paths, { recursive: request.recursive, io });
  detail(`read ${manifests.pools.length} NodePools, ${manifests.workloads.length} workloads`);
  const world = simulatedCluster(manifests, request.seed, decisionSettingsOf(io.env));
  const began = performance.now();
  const bound = boundMeter(STARTS_AT);
  await runFor(world, request, stop, async (passedMs) => {
    progress.report(progressText(passedMs, request), passedMs / request.forMs);
    bound.sample(world.clock.now(), computeFleetBound(runningOnly(await observeCluster(world.ports))));
  });
  const simulation = await simulationAtEnd(world, request.seed, bound.totalUsd());
  const tookMs = performance.now() - began;

  return {
    kind: 'Simulation',
    source: { files: request.paths, at: new Date(STARTS_AT).toISOString() },
    complete: simulation.simulatedMs === request.forMs,
    warnings: warningsAbout(manifests),
    result: simulation,
    names: simulation.nodes.map(({ claim }) => `nodeclaim/${claim}`),
    text: (terminal) => simulationText(simulation, tookMs, terminal),
    ...(request.failOnUnplaced && simulation.pods.unplaced.length > 0
      ? { exitCode: EXIT.answerIsNo }
      : {}),
  };
}

/** @param eachMinute - called after every virtual minute, and at the end; it only looks */
async function runFor(
  { clock }: SimWorld,
  { forMs, speed }: SimulateRequest,
  stop: AbortSignal,
  eachMinute: (passedMs: number) => Promise<void>,
): Promise<void> {
  const look = (): Promise<void> => eachMinute(clock.now() - STARTS_AT);
  const lookAgain = async (): Promise<void> => {
    await look();
    clock.schedule(clock.now() + MINUTE_MS, lookAgain);
  };
  clock.schedule(clock.now() + MINUTE_MS, lookAgain);
  await advance(clock, STARTS_AT + forMs, { speed, stop });
  await look();
}

const progressText = (passedMs: number, { forMs }: SimulateRequest): string =>
  `simulating: ${durationText(passedMs)} of ${durationText(forMs)}`;

async function simulationAtEnd(world: SimWorld, seed: number, boundUsd: number) {
  const { pods } = await world.ports.cluster.observe();
  const claims = (await world.ports.nodeClaims.list()).map(({ claim }) => claim);
  const now = world.clock.now();
  return simulationOf({
    seed,
    startedAt: STARTS_AT,
    endedAt: now,
    ledger: world.ledger,
    unplaced: unplacedPods({ now, pods, claims, decisions: world.decisions() }),
    boundUsd,
  });
}
