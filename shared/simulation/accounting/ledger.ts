import type { MemoryNodeClaims } from '../../memory/node-claims.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../model/time.ts';
import type { SimInstance, SimInstances } from '../cloud/instances.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import { isNodeLeaving } from '../control-plane/node-writes.ts';
import type { PodStore } from '../control-plane/pod-store.ts';
import type { BilledNode, Ledger, VirtualClock } from '../world.ts';
import { createLedgerPoints } from './ledger-points.ts';
import { watchRequestedShare } from './requested-share.ts';

interface LedgerParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly instances: SimInstances;
  readonly nodeClaims: MemoryNodeClaims;
}

interface SimLedger extends Ledger {
  recordEviction(pod: Pod): void;
}

/** Records cost, pod wait times and utilization while the simulation runs. */
export function createLedger({ clock, api, instances, nodeClaims }: LedgerParts): SimLedger {
  const beganAt = clock.now();
  const billed = new Map<string, BilledNode>();
  const statistics = watchPodStatistics(api.pods, clock.now);
  const share = watchRequestedShare(api, clock.now);
  const points = createLedgerPoints(clock, api.pods, instances);
  const nodePods = watchNodePods(api);
  let evictions = 0;

  instances.watch(({ before, after }) => {
    if (after && !before) billed.set(after.providerId, toBilledNode(after));
    if (after?.endedAt !== undefined && before?.endedAt === undefined) closeBill(after, after.endedAt);
  });

  function closeBill({ providerId }: SimInstance, removedAt: EpochMs): void {
    const billedNode = billed.get(providerId);
    if (billedNode)
      billed.set(providerId, {
        ...billedNode,
        removedAt,
        pods: nodePods.podsAtRemoval(providerId),
      });
  }

  function withCurrentPods(providerId: string, node: BilledNode): BilledNode {
    // The claim's removal reason may be recorded after the instance is gone, for example after a
    // spot reclaim.
    const removal = nodeClaims.peek(node.claim)?.claim.removal;
    if (node.removedAt === undefined) return { ...node, pods: nodePods.currentPods(providerId) };
    return removal ? { ...node, removal } : node;
  }

  return {
    get billedNodes() {
      return [...billed].map(([providerId, node]) => withCurrentPods(providerId, node));
    },
    get points() {
      return points.list();
    },
    costUsd(at) {
      let sum = 0;
      for (const node of billed.values()) sum += computeCostUsd(node, beganAt, Math.min(at, node.removedAt ?? at));
      return sum;
    },
    get ranPods() {
      return statistics.ran();
    },
    get waitsMs() {
      return statistics.waitsMs();
    },
    requestedShare: share.until,
    get evictions() {
      return evictions;
    },
    podDays: statistics.podDays,
    get finishedPods() {
      return statistics.finished();
    },
    get createdPods() {
      return statistics.created();
    },
    recordEviction(pod) {
      if (!isDaemon(pod)) evictions += 1;
    },
  };
}

const toBilledNode = ({ claim, launch }: SimInstance): BilledNode => ({
  claim: claim.name,
  pool: claim.pool,
  instanceType: launch.instanceType,
  zone: launch.zone,
  capacityType: launch.capacityType,
  hourlyUsd: launch.hourlyUsd,
  launchedAt: launch.at,
  pods: [],
});

/** USD between two moments; 0 before the launch. */
const computeCostUsd = ({ hourlyUsd, launchedAt }: BilledNode, from: EpochMs, until: EpochMs): number =>
  (hourlyUsd * Math.max(0, until - Math.max(from, launchedAt))) / HOUR_MS;

/** The pods on each instance's node, without DaemonSet pods. */
interface NodePods {
  /** Pods on the instance's node now. */
  currentPods(providerId: string): readonly PodKey[];
  /** Pods on the node when its removal started. When the instance ends, all of them have moved. */
  podsAtRemoval(providerId: string): readonly PodKey[];
}

function watchNodePods(api: ApiServer): NodePods {
  const nodeNames = new Map<string, string>();
  const removalPods = new Map<string, readonly PodKey[]>();

  const onNode = (name: string): readonly PodKey[] => {
    const pods = [...api.pods.onNode(name).values()];
    return pods.filter((pod) => isActive(pod) && !isDaemon(pod)).map(podKey);
  };
  api.nodes.watch(({ before, after }) => {
    const providerId = after?.providerId;
    if (!after || providerId === undefined) return;
    nodeNames.set(providerId, after.name);
    if (!isNodeLeaving(after)) removalPods.delete(providerId);
    else if (!(before && isNodeLeaving(before))) removalPods.set(providerId, onNode(after.name));
  });

  const currentPods = (providerId: string): readonly PodKey[] => {
    const name = nodeNames.get(providerId);
    return name === undefined ? [] : onNode(name);
  };
  return {
    currentPods,
    podsAtRemoval: (providerId) => removalPods.get(providerId) ?? currentPods(providerId),
  };
}

/** Statistics over all pods except DaemonSet pods. */
interface PodStatistics {
  waitsMs(): readonly number[];
  ran(): number;
  podDays(at: EpochMs): number;
  created(): number;
  finished(): number;
}

function watchPodStatistics(pods: PodStore, now: () => EpochMs): PodStatistics {
  const beganAt = now();
  const waits: number[] = [];
  let ran = 0;
  let created = 0;
  let finished = 0;
  let running = 0;
  /** Start times of running pods summed up, and run times of pods that have stopped. */
  let startedSum = 0;
  let ranMs = 0;

  pods.watch(({ before, after }) => {
    const pod = after ?? before;
    if (!pod || isDaemon(pod)) return;
    if (!before) created += 1;
    if (after && before?.phase !== 'Succeeded' && after.phase === 'Succeeded') finished += 1;
    if (!isRunning(before) && isRunning(after)) start(pod, before);
    if (isRunning(before) && !isRunning(after)) stop(pod);
  });

  /** Time before the simulation does not count. */
  const runsSince = ({ startedAt = now() }: Pod): EpochMs => Math.max(startedAt, beganAt);

  /** @param before - undefined for a pod that ran when the simulation began */
  function start(pod: Pod, before: Pod | undefined): void {
    if (before) waits.push(runsSince(pod) - Math.max(pod.createdAt, beganAt));
    ran += 1;
    running += 1;
    startedSum += runsSince(pod);
  }

  function stop(pod: Pod): void {
    running -= 1;
    startedSum -= runsSince(pod);
    ranMs += now() - runsSince(pod);
  }

  return {
    waitsMs: () => waits,
    ran: () => ran,
    podDays: (at) => (ranMs + running * at - startedSum) / DAY_MS,
    created: () => created,
    finished: () => finished,
  };
}

const isRunning = (pod: Pod | undefined): boolean => pod?.phase === 'Running';
