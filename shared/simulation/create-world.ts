import type { ClusterManifests } from '../api/manifests/cluster-manifests.ts';
import { memoryUnavailableOfferings } from '../memory/capacity-records.ts';
import { memoryCommands } from '../memory/disruption-records.ts';
import { memoryNodeClaims, memoryNominations } from '../memory/node-claims.ts';
import { memoryOwnership } from '../memory/ownership.ts';
import { memoryControllerRecords } from '../memory/records.ts';
import { type Labels, ZONE_LABEL } from '../model/labels.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';
import type { CapacityBuffer } from '../model/pods/capacity-buffer.ts';
import type { Pod } from '../model/pods/pod.ts';
import { allowsValue } from '../model/requirements/requirement.ts';
import { toRequirements } from '../model/requirements/requirements.ts';
import type { EpochMs } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { createLedger } from './accounting/ledger.ts';
import { createSimDecisionLog, type RecordDecision } from './accounting/sim-decision-log.ts';
import { createEc2, type SimEc2 } from './cloud/ec2.ts';
import type { SimInstance, SimInstances } from './cloud/instances.ts';
import { startInterruptions } from './cloud/interruptions.ts';
import { withLearnedSizes } from './cloud/learned-sizes-cloud.ts';
import { createShortages } from './cloud/shortages.ts';
import { createSimSpotPrices } from './cloud/spot-prices.ts';
import { type ApiServer, createApiServer, putPod, workloadKey } from './control-plane/api-server.ts';
import { simCluster } from './control-plane/cluster.ts';
import { createDisruptionBudgets } from './control-plane/disruption-budgets.ts';
import { createSimObjectStore } from './control-plane/object-store.ts';
import { watchPodEvents } from './control-plane/pod-events.ts';
import { startEventSource, startSchedules } from './event-source.ts';
import { type ExtraCapacity, type ReportedNodeSize, startKubelets } from './kubelet/kubelets.ts';
import { startPodRunner } from './kubelet/pod-runner.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import { createUserActions } from './user-actions.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { createWorkQueue } from './work-queue.ts';
import { startControllerManager } from './workloads/controller-manager.ts';
import { readCreateAfterMs } from './workloads/create-after.ts';
import { watchReplicasByOwner, withTemplateHash } from './workloads/workload-owner.ts';
import type { SimCatalogue, SimWorld, VirtualClock } from './world.ts';

/** How often the simulated EC2 interrupts or refuses, and what the nodes report. */
export interface WorldOptions {
  /** Interruption probability of a spot instance per hour. Default 0.005. */
  readonly interruptionsPerHour?: number;
  /**
   * Share of time that a spot offering is out of capacity. Default 0.02. On-demand has a tenth of
   * it.
   */
  readonly shortageShare?: number;
  /** Actual node size. Default: as computed from the catalogue. */
  readonly nodeSize?: ReportedNodeSize;
  /** The resources of nodes besides those of their instance type. Default: none. */
  readonly extraCapacity?: ExtraCapacity;
  /**
   * `false` disables hints from changes, so that only schedules trigger controllers. Default
   * `true`.
   */
  readonly hooks?: boolean;
  /** Receives each decision with its input, to record it. */
  readonly onDecision?: RecordDecision;
  /** True if the right to patch pods was given, so that they are ranked for scale-downs. Default `false`, as deployed. */
  readonly mayRankPods?: boolean;
  /** Buffers with their pod templates, beside those of the manifests. Default: none. */
  readonly buffers?: readonly CapacityBuffer[];
}

interface WorldSettings {
  readonly seed: number;
  readonly startAt: EpochMs;
  readonly catalogue: SimCatalogue;
  readonly manifests: ClusterManifests;
  readonly options?: WorldOptions;
}

/** Connects a cluster and its cloud. Nothing happens until the clock runs. */
export const createWorld = (settings: WorldSettings): SimWorld => createOpenWorld(settings).world;

/**
 * A world with its stores. Other actors than the controllers change these: users, other autoscalers,
 * the cloud controller.
 */
export interface OpenWorld {
  readonly world: SimWorld;
  readonly api: ApiServer;
  readonly instances: SimInstances;
  readonly ec2: SimEc2;
}

export function createOpenWorld(settings: WorldSettings): OpenWorld {
  const { seed, startAt, catalogue: facts, manifests, options = {} } = settings;
  const { interruptionsPerHour: hourlyOdds = 0.005, shortageShare = 0.02, hooks = true } = options;
  const { onDecision } = options;
  const nodeSize = options.nodeSize && { nodeSize: options.nodeSize };
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };

  const clock = createVirtualClock(startAt);
  const { pools, podDisruptionBudgets, services, overlays, buffers, storage } = manifests;
  const api = createApiServer({
    pools,
    podDisruptionBudgets,
    namespaces: collectNamespaces(manifests),
    storage,
    zones: listVolumeZones(facts.zones, pools),
  });
  const instances = createSimObjectStore<SimInstance>();
  const queue = createWorkQueue(clock);
  const eventRecorder = createSimDecisionLog(notifyListeners, onDecision);
  const nodeClaims = memoryNodeClaims(notifyListeners);
  const spotPrices = createSimSpotPrices(seed, facts);
  const shortages = createShortages(seed, {
    spot: shortageShare,
    'on-demand': shortageShare / 10,
    reserved: 0,
  });

  const ec2 = createEc2({ seed, clock, facts, pools, instances, spotPrices, shortages });
  const ledger = createLedger({ clock, api, instances, nodeClaims });
  const podEvents = watchPodEvents(api, clock.now);
  const scheduler = startScheduler(clock, api);
  startPodRunner({ seed, clock, api, instances });
  startKubelets({
    ...{ seed, clock, api, instances, region: facts.region },
    ...nodeSize,
    ...(options.extraCapacity && { extraCapacity: options.extraCapacity }),
  });
  const controllers = startControllerManager(seed, clock, api, scheduler);
  if (hooks) startEventSource({ clock, api, instances, queue });
  const interruptions = startInterruptions({ seed, clock, instances, ec2, queue, hourlyOdds });
  for (const store of [api.nodes, api.workloads, api.nodeClaims, instances]) store.watch(notifyListeners);
  api.pods.watch(notifyListeners);

  const budgets = createDisruptionBudgets(api, watchReplicasByOwner(seed, api.workloads));
  const { now } = clock;
  const cluster = simCluster({
    api,
    budgets,
    podEvents,
    controllers,
    fixed: {
      ...(services && { services }),
      ...(overlays && { overlays }),
      ...(options.buffers && { buffers: options.buffers }),
    },
    ...(buffers && { buffers }),
    now,
    onEvicted: ledger.recordEviction,
    mayRankPods: options.mayRankPods === true,
  });
  const records = memoryControllerRecords();
  const ports: Ports = {
    clock,
    cluster,
    cloud: nodeSize ? withLearnedSizes(ec2.cloud, records.learnedSizes, clock) : ec2.cloud,
    nodeClaims,
    ...records,
    commands: memoryCommands(),
    nominations: memoryNominations(),
    unavailableOfferings: memoryUnavailableOfferings(),
    queue,
    decisionLog: eventRecorder,
    ownership: memoryOwnership(clock),
  };
  populate(api, manifests, clock, seed);

  const actionParts = { clock, api, ec2, instances, shortages, interruptions, eventRecorder };
  const world: SimWorld = {
    clock,
    ports,
    ledger,
    userActions: createUserActions(actionParts, 'you'),
    demoActions: createUserActions(actionParts, 'demo'),
    consume(handler) {
      queue.consume(handler);
      startSchedules(clock, queue);
    },
    workloads: () => api.workloads.list(),
    pools: () => api.pools,
    namespaces: () => api.namespaces,
    decisions: eventRecorder.decisions,
    events: eventRecorder.events,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { world, api, instances, ec2 };
}

function populate(api: ApiServer, { workloads, pods }: ClusterManifests, clock: VirtualClock, seed: number): void {
  const now = clock.now();
  for (const workload of workloads) {
    const create = () => api.workloads.put(workloadKey(workload), withTemplateHash(seed, workload));
    const createAfterMs = readCreateAfterMs(workload);
    if (createAfterMs === 0) create();
    else clock.schedule(now + createAfterMs, create);
  }
  for (const pod of pods) putPod(api.pods, toNewPod(pod, now));
}

/** A pod as it is right after creation, without the manifest's status. */
function toNewPod(pod: Pod, createdAt: EpochMs): Pod {
  const { namespace, name, uid, labels, annotations, spec, owner } = pod;
  const origin = owner ? { owner } : {};
  const identity = { namespace, name, uid, labels, annotations, spec, ...origin };
  return { ...identity, createdAt, phase: 'Pending', ready: false };
}

/** Volumes are made where nodes can be. */
function listVolumeZones(zones: readonly string[], pools: readonly NodePool[]): readonly string[] {
  const required = pools.map(({ requirements }) => toRequirements(requirements).get(ZONE_LABEL));
  const usable = zones.filter((zone) => required.some((zones) => !zones || allowsValue(zones, zone)));
  return usable.length > 0 ? usable : zones;
}

/** All namespaces that an object mentions, with the name label that Kubernetes adds. */
function collectNamespaces(manifests: ClusterManifests): Readonly<Record<string, Labels>> {
  const { workloads, pods, podDisruptionBudgets, namespaces = {} } = manifests;
  const mentionedNamespaces = [...workloads, ...pods, ...podDisruptionBudgets].map((each) => each.namespace);
  const names = new Set(['default', 'kube-system', ...mentionedNamespaces, ...Object.keys(namespaces)]);
  return Object.fromEntries(
    [...names].map((name) => [name, { ...ownValue(namespaces, name), 'kubernetes.io/metadata.name': name }]),
  );
}
