import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import type { RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import type { Answer } from '../answer.ts';
import type { Speed } from '../arguments/flags.ts';
import { chooseSimulatedRegion, type RegionFlags } from '../catalogue/choose-region.ts';
import { EXIT } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { readNonEmptyManifests } from '../manifests/cluster-manifests.ts';
import { durationText } from '../render/numbers.ts';
import { simulationText } from '../render/simulation.ts';
import { readCliLaunchCaps } from '../settings/launch-caps.ts';
import { mayRankPods, readCliDecisionSettings } from '../settings/read-settings.ts';
import { advance } from './advance.ts';
import { createSimulatedCluster, listManifestWarnings, SIMULATED_LAUNCH_CAPS, STARTS_AT } from './simulated-cluster.ts';
import {
  createBoundMeter,
  createCapMeter,
  createCoverageMeter,
  createRepackingMeter,
  keepRunningPods,
} from './simulation-meters.ts';
import { type SimulationEnd, summarizeSimulation } from './simulation-report.ts';
import type { SimulationStart } from './simulation-start.ts';
import { startFromSnapshot } from './snapshot-cluster.ts';
import { listUnplacedPods } from './unplaced-pods.ts';

export interface SimulateRequest extends RegionFlags {
  /** A snapshot file to continue from; undefined for an empty cluster. */
  readonly from?: string;
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly forMs: number;
  readonly seed: number;
  readonly speed: Speed;
  readonly failOnUnplaced: boolean;
}

/**
 * Simulates the manifests, or what follows a snapshot, for the requested time, or until it is
 * stopped.
 */
export async function simulate(request: SimulateRequest, invocation: Invocation): Promise<Answer> {
  const { progress, stop } = invocation;
  const { from } = request;
  const start = await (from === undefined
    ? startFromManifests(request, invocation)
    : startFromSnapshot({ ...request, file: from }, invocation));
  const { world, startsAt, settings } = start;
  const began = performance.now();
  const bound = createBoundMeter(startsAt);
  const repacking = createRepackingMeter(startsAt);
  const covered = createCoverageMeter(startsAt);
  const caps = createCapMeter(startsAt);
  await runFor(start, request, stop, async (passedMs) => {
    progress.report(toProgressText(passedMs, request), passedMs / request.forMs);
    caps.sample(world.events);
    const snapshot = await observeCluster({ ...world.ports, settings });
    covered.sample(snapshot);
    const running = keepRunningPods(snapshot);
    const boundHourlyUsd = computeFleetBound(running);
    bound.sample(world.clock.now(), boundHourlyUsd);
    repacking.sample(running, boundHourlyUsd);
  });
  const simulation = await summarizeAtEnd(start, {
    seed: request.seed,
    ...(start.isPriced && {
      costs: {
        boundUsd: bound.totalUsd(),
        repackedUsd: repacking.totalUsd(bound.totalUsd()),
        coveredUsd: covered.totalUsd(),
      },
    }),
    capped: caps.capped(),
  });
  const tookMs = performance.now() - began;

  return {
    kind: 'Simulation',
    source: start.source,
    complete: simulation.simulatedMs === request.forMs,
    warnings: start.warnings,
    result: simulation,
    names: simulation.nodes.map(({ claim }) => `nodeclaim/${claim}`),
    text: (terminal) => simulationText(simulation, { tookMs, prices: start.prices }, terminal),
    ...(request.failOnUnplaced && simulation.pods.unplaced.length > 0 && { exitCode: EXIT.answerIsNo }),
  };
}

async function startFromManifests(
  { paths, recursive, seed, ...flags }: SimulateRequest,
  { io, detail }: Pick<Invocation, 'io' | 'detail'>,
): Promise<SimulationStart> {
  const manifests = await readNonEmptyManifests(paths, { recursive, io });
  detail(`read ${manifests.pools.length} NodePools, ${manifests.workloads.length} workloads`);
  const region = await chooseSimulatedRegion(manifests, flags, io);
  const { catalogue } = region;
  const settings = readCliDecisionSettings(io.env);
  const launchCaps = readCliLaunchCaps(io.env, SIMULATED_LAUNCH_CAPS);
  return {
    world: createSimulatedCluster(manifests, seed, settings, launchCaps, { mayRankPods: mayRankPods(io.env) }, region),
    settings,
    startsAt: STARTS_AT,
    source: {
      files: paths,
      at: new Date(STARTS_AT).toISOString(),
      catalogue: catalogue.source,
      region: catalogue.region,
    },
    isPriced: catalogue.prices !== undefined,
    prices: describePrices(catalogue),
    warnings: listManifestWarnings(manifests, region),
  };
}

function describePrices({ region, source, prices }: RegionCatalogue): string {
  if (!prices) return `of ${region} are not known: types are compared by vCPU and memory`;
  const spot = source === 'ec2' ? 'spot prices as EC2 had them' : 'spot prices are modelled';
  return `on demand of ${prices.asOf} in ${region}; ${spot}`;
}

/**
 * @param eachMinute - called after every virtual minute and at the end; read only
 */
async function runFor(
  { world: { clock }, startsAt }: SimulationStart,
  { forMs, speed }: SimulateRequest,
  stop: AbortSignal,
  eachMinute: (passedMs: number) => Promise<void>,
): Promise<void> {
  const sampleNow = (): Promise<void> => eachMinute(clock.now() - startsAt);
  const sampleEveryMinute = async (): Promise<void> => {
    await sampleNow();
    clock.schedule(clock.now() + MINUTE_MS, sampleEveryMinute);
  };
  clock.schedule(clock.now() + MINUTE_MS, sampleEveryMinute);
  await advance(clock, startsAt + forMs, { speed, stop });
  await sampleNow();
}

const toProgressText = (passedMs: number, { forMs }: SimulateRequest): string =>
  `simulating: ${durationText(passedMs)} of ${durationText(forMs)}`;

async function summarizeAtEnd(
  { world, startsAt }: SimulationStart,
  ends: Pick<SimulationEnd, 'seed' | 'costs' | 'capped'>,
) {
  const snapshot = await observeCluster(world.ports);
  const now = world.clock.now();
  return summarizeSimulation({
    ...ends,
    startedAt: startsAt,
    endedAt: now,
    ledger: world.ledger,
    unplaced: listUnplacedPods({ snapshot, decisions: world.decisions() }),
  });
}
