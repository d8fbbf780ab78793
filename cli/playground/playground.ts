import { fileURLToPath } from 'node:url';
import type { Answer } from '../answer.ts';
import type { Speed } from '../arguments/flags.ts';
import { serveConsole } from '../console/serve-console.ts';
import { playDemo } from '../demo/script.ts';
import type { Invocation } from '../invocation.ts';
import { readNonEmptyManifests } from '../manifests/cluster-manifests.ts';
import { findManifestRegion } from '../manifests/manifest-region.ts';
import { readCliDecisionSettings } from '../settings/decision-settings.ts';
import { readCliLaunchCaps } from '../settings/launch-caps.ts';
import { createPace } from './pace.ts';
import { createPlaygroundSource } from './playground-source.ts';
import {
  createSimulatedCluster,
  listManifestWarnings,
  SIMULATED_LAUNCH_CAPS,
} from './simulated-cluster.ts';

export interface StartRequest {
  /** Empty for the demo. */
  readonly paths: readonly string[];
  readonly recursive: boolean;
  /** The port to use; undefined for the first free port from 7070. */
  readonly port?: number;
  readonly seed: number;
  readonly speed: Speed;
}

const CLUSTER = 'playground';
const DEMO = fileURLToPath(new URL('../demo/', import.meta.url));

/**
 * Serves the console over a simulated cluster until it is stopped.
 *
 * @throws CliError - manifests are refused, `port-in-use`
 */
export async function startPlayground(
  { paths, recursive, port, seed, speed }: StartRequest,
  { io, progress }: Invocation,
): Promise<Answer> {
  const isDemo = paths.length === 0;
  const manifests = await readNonEmptyManifests(isDemo ? [DEMO] : paths, { recursive, io });
  const world = createSimulatedCluster(
    manifests,
    seed,
    readCliDecisionSettings(io.env),
    readCliLaunchCaps(io.env, SIMULATED_LAUNCH_CAPS),
  );
  const demo = isDemo ? playDemo(world) : undefined;

  const pace = createPace(speed);
  const { region } = findManifestRegion(manifests);
  const source = createPlaygroundSource({
    ...{ world, pace, seed, region },
    cluster: CLUSTER,
    ...(demo && { demo }),
  });
  progress.report('building the console');
  const server = await serveConsole(source, port);

  return {
    kind: 'Playground',
    source: { files: paths },
    complete: true,
    warnings: listManifestWarnings(manifests),
    result: { url: server.url, seed, speed, skipped: manifests.skipped },
    names: [],
    text: () => `Console: ${server.url}\n`,
    async afterwards(stop) {
      await pace.run(world.clock, stop);
      await server.close();
    },
  };
}
