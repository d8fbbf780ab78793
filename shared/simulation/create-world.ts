import type { ClusterManifests } from '../api/cluster-manifests.ts';
import type { Pod } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { type ApiServer, createApiServer, putPod, workloadKey } from './api-server.ts';
import { simCluster } from './cluster.ts';
import { simCommands } from './commands.ts';
import { startControllerManager } from './controller-manager.ts';
import { createDisruptionBudgets } from './disruption-budgets.ts';
import { createEc2 } from './ec2.ts';
import { startEventSource, startSchedules } from './event-source.ts';
import { startInterruptions } from './interruptions.ts';
import { createJournal } from './journal.ts';
import { type NodeSize, startKubelets } from './kubelet.ts';
import { learningCloud } from './learning-cloud.ts';
import { createLedger } from './ledger.ts';
import type { Machine } from './machine-room.ts';
import { simNodeClaims, simNominations } from './node-claims.ts';
import { createObjectStore } from './object-store.ts';
import { simOwnership } from './ownership.ts';
import { createPlay } from './play.ts';
import { watchPodEvents } from './pod-events.ts';
import { startPodRunner } from './pod-runner.ts';
import { simRecords } from './records.ts';
import { startScheduler } from './scheduler.ts';
import { createShortages } from './shortages.ts';
import { createSpotMarket } from './spot-market.ts';
import { simUnavailableOfferings } from './unavailable-offerings.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { createWorkQueue } from './work-queue.ts';
import { replicasByOwner, withTemplateHash } from './workload-owner.ts';
import type { SimCatalogue, SimWorld } from './world.ts';
import type { Labels } from '../model/labels.ts';

/** How eventful the simulated EC2 is. */
export interface WorldOptions {
  /** Odds that EC2 takes a spot instance back, per hour. Default 0.005. */
  readonly interruptionsPerHour?: number;
  /** Share of time that a spot offering is out of capacity. Default 0.02; on-demand a tenth. */
  readonly shortageShare?: number;
  /** What nodes really have. Default: what was reckoned. */
  readonly nodeSize?: NodeSize;
  /** Whether changes become hints. Without, schedules alone find them. Default true. */
  readonly hooks?: boolean;
}

interface WorldSettings {
  readonly seed: number;
  readonly startAt: EpochMs;
  readonly catalogue: SimCatalogue;
  readonly manifests: ClusterManifests;
  readonly options?: WorldOptions;
}

/** Wires a cluster with its cloud. Nothing happens until the clock is told to run. */
export function createWorld(settings: WorldSettings): SimWorld {
  const { seed, startAt, catalogue: facts, manifests, options = {} } = settings;
  const { interruptionsPerHour: hourlyOdds = 0.005, shortageShare = 0.02, hooks = true } = options;
  const nodeSize = options.nodeSize && { nodeSize: options.nodeSize };
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const clock = createVirtualClock(startAt);
  const { pools, podDisruptionBudgets, services, overlays, buffers, storage } = manifests;
  const api = createApiServer({ pools, podDisruptionBudgets, namespaces: namespacesOf(manifests) });
  const machines = createObjectStore<Machine>();
  const queue = createWorkQueue(clock);
  const journal = createJournal(changed);
  const nodeClaims = simNodeClaims(changed);
  const market = createSpotMarket(seed, facts);
  const shortages = createShortages(seed, {
    spot: shortageShare,
    'on-demand': shortageShare / 10,
    reserved: 0,
  });

  const ec2 = createEc2({ seed, clock, facts, pools, machines, market, shortages });
  const ledger = createLedger({ clock, api, machines, nodeClaims });
  const podEvents = watchPodEvents(api, clock.now);
  const scheduler = startScheduler(clock, api, storage);
  startPodRunner({ seed, clock, api, machines });
  startKubelets({ seed, clock, api, machines, region: facts.region, ...nodeSize });
  const controllers = startControllerManager(seed, clock, api, scheduler);
  if (hooks) startEventSource({ clock, api, machines, queue });
  const interruptions = startInterruptions({ seed, clock, machines, ec2, queue, hourlyOdds });
  for (const store of [api.nodes, api.workloads, api.nodeClaims, machines]) store.watch(changed);
  api.pods.watch(changed);

  const budgets = createDisruptionBudgets(api, replicasByOwner(seed, api.workloads));
  const { now } = clock;
  const cluster = simCluster({
    api,
    budgets,
    podEvents,
    controllers,
    fixed: {
      ...(services && { services }),
      ...(overlays && { overlays }),
      ...(storage && { storage }),
    },
    ...(buffers && { buffers }),
    now,
    onEvicted: ledger.evicted,
  });
  const records = simRecords();
  const ports: Ports = {
    clock,
    cluster,
    cloud: nodeSize ? learningCloud(ec2.cloud, records.learnedSizes, clock) : ec2.cloud,
    nodeClaims,
    ...records,
    commands: simCommands(),
    nominations: simNominations(),
    unavailableOfferings: simUnavailableOfferings(),
    queue,
    journal,
    ownership: simOwnership(clock),
  };
  populate(api, manifests, startAt, seed);

  const playParts = { clock, api, ec2, machines, shortages, interruptions, journal };
  return {
    clock,
    ports,
    ledger,
    play: createPlay(playParts, 'you'),
    demo: createPlay(playParts, 'demo'),
    consume(handler) {
      queue.consume(handler);
      startSchedules(clock, queue);
    },
    workloads: () => api.workloads.list(),
    namespaces: () => api.namespaces,
    decisions: journal.decisions,
    events: journal.events,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function populate(
  api: ApiServer,
  { workloads, pods }: ClusterManifests,
  now: EpochMs,
  seed: number,
): void {
  for (const workload of workloads) {
    api.workloads.put(workloadKey(workload), withTemplateHash(seed, workload));
  }
  for (const pod of pods) putPod(api.pods, asNew(pod, now));
}

/** As a pod that was applied just now, whatever the manifest says of its fate. */
function asNew(pod: Pod, createdAt: EpochMs): Pod {
  const { namespace, name, uid, labels, annotations, spec, owner } = pod;
  const origin = owner ? { owner } : {};
  const identity = { namespace, name, uid, labels, annotations, spec, ...origin };
  return { ...identity, createdAt, phase: 'Pending', ready: false };
}

/** Every namespace that something is in, with the label that Kubernetes gives each. */
function namespacesOf(manifests: ClusterManifests): Readonly<Record<string, Labels>> {
  const { workloads, pods, podDisruptionBudgets, namespaces = {} } = manifests;
  const mentioned = [...workloads, ...pods, ...podDisruptionBudgets].map((each) => each.namespace);
  const names = new Set(['default', 'kube-system', ...mentioned, ...Object.keys(namespaces)]);
  return Object.fromEntries(
    [...names].map((name) => [name, { ...namespaces[name], 'kubernetes.io/metadata.name': name }]),
  );
}
