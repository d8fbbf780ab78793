import { UnknownObjectError } from '../../console/errors.ts';
import { createModelSource } from '../../console/model-source.ts';
import type { ConsoleSource, ExportedFile, PlayActions } from '../../console/source.ts';
import { playableOf } from '../../console/views/playable.ts';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { decideProvisioning, UNLIMITED_INPUT } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import { createDecisionId } from '../../shared/controllers/support/decision-id.ts';
import type { DisruptionInput } from '../../shared/ports/decision-log.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import type { Demo } from '../demo/script.ts';
import { nameSnapshot, packSnapshot } from '../record/pack-snapshot.ts';
import type { RunningPace } from './pace.ts';

interface Playground {
  readonly world: SimWorld;
  readonly pace: RunningPace;
  readonly seed: number;
  readonly cluster: string;
  readonly region: string;
  /** The script that plays; undefined for the user's own manifests. */
  readonly demo?: Demo;
  /** Starts a new simulation; undefined for the seed of this one. */
  readonly reset: (seed: number | undefined) => void;
}

/** The console's view of a simulated cluster. */
export function createPlaygroundSource(playground: Playground): ConsoleSource {
  const { world, pace, seed, cluster, region, demo } = playground;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  world.onChange(changed);

  return createModelSource({
    info: { source: 'playground', cluster, region, seed },
    clock: () => ({ now: world.clock.now(), speed: pace.speed(), paused: pace.paused() }),
    async observe() {
      const snapshot = await observeCluster(world.ports);
      return { snapshot, commands: (await world.ports.commands.list()).records };
    },
    decisions: () => world.decisions(),
    events: () => world.events(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitsMs: () => world.ledger.waitsMs,
    costs: () => world.ledger.points,
    playable: (snapshot) => ({
      ...playableOf(snapshot, world.workloads()),
      ...(demo && { demo: { caption: demo.caption(), isStopped: demo.isStopped() } }),
    }),
    play: createPlayActions(playground, changed),
  });
}

/**
 * @param changed - called after changes that the simulated cluster does not report by itself
 */
function createPlayActions({ world, pace, demo, reset, cluster }: Playground, changed: () => void): PlayActions {
  return {
    clock({ paused, speed }) {
      if (speed !== undefined) pace.setSpeed(speed);
      if (paused === true) pace.pause();
      if (paused === false) pace.resume();
      changed();
    },
    scale({ replicas, ...workload }) {
      const isWorkload = world
        .workloads()
        .some(
          ({ kind, namespace, name }) =>
            kind === workload.kind && namespace === workload.namespace && name === workload.name,
        );
      if (!isWorkload) {
        throw new UnknownObjectError(`${workload.kind} ${workload.namespace}/${workload.name}`);
      }
      world.userActions.scale(workload, replicas);
    },
    async interrupt({ node, notice }) {
      const claim = await world.ports.nodeClaims.find(node);
      if (!claim?.claim.launch) throw new UnknownObjectError(`instance behind node ${node}`);
      world.userActions.interrupt(node, notice);
    },
    continueDemo() {
      demo?.resume();
      changed();
    },
    shortage({ forMs, ...offering }) {
      world.userActions.exhaustCapacity(offering, forMs);
    },
    step() {
      const before = world.decisions().at(-1);
      pace.step(() => world.decisions().at(-1) !== before);
      changed();
    },
    multiplySpotPrices: ({ factor }) => world.userActions.multiplySpotPrices(factor),
    loseZone: ({ zone, forMs }) => world.userActions.loseZone(zone, forMs),
    drift({ pool }) {
      if (!world.pools().some(({ name }) => name === pool)) throw new UnknownObjectError(`NodePool ${pool}`);
      world.userActions.changeTemplate(pool);
    },
    reset: ({ seed }) => reset(seed),
    exportSnapshot: () => exportSnapshot(world, cluster),
  };
}

/** The simulated cluster as a snapshot file, with the decisions that would be made now. */
export async function exportSnapshot({ ports }: SimWorld, cluster: string): Promise<ExportedFile> {
  const [snapshot, commands] = await Promise.all([observeCluster(ports), ports.commands.list()]);
  const at = snapshot.takenAt;
  const pods = { ...UNLIMITED_INPUT, snapshot };
  const nodes: DisruptionInput = { kind: 'disruption', snapshot, running: commands.records };
  const ids = {
    pods: createDecisionId('p', at, [cluster]),
    nodes: createDecisionId('d', at, [cluster]),
  };
  const bytes = await packSnapshot(
    [
      {
        id: ids.pods,
        at,
        kind: 'provisioning',
        input: pods,
        plan: decideProvisioning(pods, ids.pods),
      },
      {
        id: ids.nodes,
        at,
        kind: 'disruption',
        input: nodes,
        plan: decideDisruption(nodes, ids.nodes),
      },
    ],
    cluster,
    at,
  );
  return { name: nameSnapshot(cluster, at), bytes };
}
