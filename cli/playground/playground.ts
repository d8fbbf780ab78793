import { fileURLToPath } from 'node:url';
import type { Answer } from '../answer.ts';
import type { Speed } from '../arguments/flags.ts';
import { chooseSimulatedRegion, type RegionFlags } from '../catalogue/choose-region.ts';
import { serveConsole } from '../console/serve-console.ts';
import { playDemo } from '../demo/script.ts';
import type { Invocation } from '../invocation.ts';
import { readNonEmptyManifests } from '../manifests/cluster-manifests.ts';
import { readCliLaunchCaps } from '../settings/launch-caps.ts';
import { mayRankPods, readCliDecisionSettings } from '../settings/read-settings.ts';
import { createPace } from './pace.ts';
import { createPlaygroundSource } from './playground-source.ts';
import { createSimulatedCluster, listManifestWarnings, SIMULATED_LAUNCH_CAPS } from './simulated-cluster.ts';

export interface StartRequest extends RegionFlags {
  /** Empty for the demo. */
  readonly paths: readonly string[];
  readonly recursive: boolean;
  /** The port to use; undefined for the first free port from 7070. */
  readonly port?: number;
  readonly seed: number;
  readonly speed: Speed;
}

interface SimulationStart {
  readonly seed: number;
  readonly speed: Speed;
  /** Undefined for the first free port. */
  readonly port?: number;
}

interface RunningSimulation {
  readonly url: string;
  /** Runs until it is stopped or reset; returns what the next one starts with. */
  run(stop: AbortSignal): Promise<SimulationStart>;
}

const CLUSTER = 'playground';
const DEMO = fileURLToPath(new URL('../demo/', import.meta.url));

/**
 * Serves the console over a simulated cluster until it is stopped.
 *
 * @throws CliError - manifests are refused, `port-in-use`
 */
export async function startPlayground(
  { paths, recursive, port, seed, speed, ...regionFlags }: StartRequest,
  { io, progress }: Invocation,
): Promise<Answer> {
  const isDemo = paths.length === 0;
  const manifests = await readNonEmptyManifests(isDemo ? [DEMO] : paths, { recursive, io });
  const region = await chooseSimulatedRegion(manifests, regionFlags, io);
  const settings = readCliDecisionSettings(io.env);
  const launchCaps = readCliLaunchCaps(io.env, SIMULATED_LAUNCH_CAPS);

  /** Starts a simulation; each has a server of its own, so that pages read it anew. */
  async function open(start: SimulationStart): Promise<RunningSimulation> {
    const world = createSimulatedCluster(
      manifests,
      start.seed,
      settings,
      launchCaps,
      { mayRankPods: mayRankPods(io.env) },
      region,
    );
    const demo = isDemo ? playDemo(world) : undefined;
    const pace = createPace(start.speed);
    const ended = new AbortController();
    let nextSeed = start.seed;
    const source = createPlaygroundSource({
      ...{ world, pace, seed: start.seed, cluster: CLUSTER },
      region: region.catalogue.region,
      ...(demo && { demo }),
      reset(chosen = start.seed) {
        nextSeed = chosen;
        ended.abort();
      },
    });
    const server = await serveConsole(source, start.port);
    return {
      url: server.url,
      async run(stop) {
        await pace.run(world.clock, AbortSignal.any([stop, ended.signal]));
        await server.close(!stop.aborted);
        return { seed: nextSeed, speed: pace.speed(), port: server.port };
      },
    };
  }

  progress.report('building the console');
  const first = await open({ seed, speed, ...(port !== undefined && { port }) });

  return {
    kind: 'Playground',
    source: { files: paths },
    complete: true,
    warnings: listManifestWarnings(manifests, region),
    result: { url: first.url, seed, speed, skipped: manifests.skipped },
    names: [],
    text: () => `Console: ${first.url}\n`,
    async afterwards(stop) {
      let next = await first.run(stop);
      while (!stop.aborted) next = await (await open(next)).run(stop);
    },
  };
}
