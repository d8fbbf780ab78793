import { randomUUID } from 'node:crypto';
import { boundGauge } from '../../console/bound-gauge.ts';
import { UnknownObjectError } from '../../console/errors.ts';
import type { ConsoleSource, Pace, PlayActions } from '../../console/source.ts';
import { decisionIndex, decisionView } from '../../console/views/decision-index.ts';
import { eventView } from '../../console/views/events.ts';
import { explainNode } from '../../console/views/explain/explain-node.ts';
import { explainPod } from '../../console/views/explain/explain-pod.ts';
import type { ConsoleFacts } from '../../console/views/facts.ts';
import { playableOf } from '../../console/views/playable.ts';
import { createPodCache } from '../../console/views/pod-view.ts';
import { nodeViewNames } from '../../console/views/pods.ts';
import { seriesView } from '../../console/views/series.ts';
import { stateView } from '../../console/views/state.ts';
import type { ClockView, InfoView } from '../../console/views.ts';
import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

interface Playground {
  readonly world: SimWorld;
  readonly pace: Pace;
  readonly seed: number;
  readonly cluster: string;
  readonly region: string;
}

/** Length of the curve. */
const CURVE_MS = HOUR_MS;
/** Maximum number of events that a page may request. */
const EVENTS = 500;

/** The console's view of a simulated cluster. */
export function createPlaygroundSource(playground: Playground): ConsoleSource {
  const { world, pace, seed, cluster, region } = playground;
  const index = decisionIndex();
  const gauge = boundGauge();
  const cache = createPodCache();
  const info: InfoView = { instance: randomUUID(), home: 'playground', cluster, region, seed };
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  world.onChange(() => {
    changed();
    // The bound is sampled even if no page is open.
    if (gauge.isDue(world.clock.now()))
      void observeCluster(world.ports).then(gauge.read, () => undefined);
  });

  const clock = (): ClockView => ({
    now: world.clock.now(),
    speed: pace.speed(),
    paused: pace.paused(),
  });

  const facts = async (): Promise<ConsoleFacts> => {
    const snapshot = await observeCluster(world.ports);
    const commands = await world.ports.commands.list();
    index.add(world.decisions(), nodeViewNames(snapshot));
    index.keep(
      new Set(snapshot.pods.map(podKey)),
      new Set(snapshot.claims.map(({ name }) => name)),
    );
    const bound = gauge.bound();
    return {
      ...{ info, snapshot, commands },
      clock: clock(),
      decisions: index,
      pods: cache,
      waitsMs: world.ledger.waitsMs,
      ...(bound === undefined ? {} : { bound }),
      playable: playableOf(snapshot, world.workloads()),
    };
  };

  return {
    clock,
    state: async () => stateView(await facts()),
    events: (afterSeq) => world.events(afterSeq).slice(-EVENTS).map(eventView),
    decisions: (since) =>
      world
        .decisions()
        .filter(({ at }) => at >= since)
        .map(decisionView),
    async explain({ kind, name }) {
      return kind === 'pod' ? explainPod(await facts(), name) : explainNode(await facts(), name);
    },
    series() {
      const to = world.clock.now();
      const events = world.events().slice(-EVENTS).map(eventView);
      return seriesView(world.ledger.points, gauge.samples(), events, { from: to - CURVE_MS, to });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    play: createPlayActions(playground, changed),
  };
}

interface SimulationControls {
  readonly world: SimWorld;
  readonly pace: Pace;
}

/**
 * @param changed - called after changes that the simulated cluster does not report by itself
 */
function createPlayActions({ world, pace }: SimulationControls, changed: () => void): PlayActions {
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
    shortage({ forMs, ...offering }) {
      world.userActions.exhaustCapacity(offering, forMs);
    },
  };
}
