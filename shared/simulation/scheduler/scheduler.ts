import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import { putPod } from '../control-plane/api-server.ts';
import type { ObjectChange } from '../control-plane/object-store.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { VirtualClock } from '../world.ts';
import { createNodeFinder } from './node-finder.ts';
import { createNodeLoads, type NodeLoad } from './node-load.ts';
import { isVolumeTaken } from './volume-topology.ts';

/** kube-scheduler's reaction time to a change. */
const PASS_DELAY_MS = 100;

export interface Scheduler {
  /** Restricts a pod to one node, as the node affinity of DaemonSet pods does. */
  pin(pod: Pod, node: string): void;
}

/**
 * Binds waiting pods by kube-scheduler's rules and marks those that fit nowhere as unschedulable.
 */
export function startScheduler(clock: VirtualClock, api: ApiServer): Scheduler {
  const loads = createNodeLoads(api.classes);
  const finder = createNodeFinder(api.namespaces, loads, api.storage);
  const pins = new Map<string, string>();
  /**
   * Cluster version at which a class last found no node; a retry is useless until the version
   * changes.
   */
  const failedAt = new Map<SimPodClass, number>();
  let clusterVersion = 0;
  let isPassScheduled = false;

  api.nodes.watch((change) => {
    loads.onNode(change);
    clusterVersion += 1;
    requestPass();
  });
  api.pods.watch((change) => {
    loads.onPod(change);
    if (!change.after) pins.delete(change.before?.uid ?? '');
    const isLoadChange = changesLoad(change);
    if (isLoadChange) clusterVersion += 1;
    if (isLoadChange || !change.before) requestPass();
  });

  function requestPass(): void {
    if (isPassScheduled) return;
    isPassScheduled = true;
    clock.schedule(clock.now() + PASS_DELAY_MS, runPass);
  }

  function runPass(): void {
    isPassScheduled = false;
    const failed = new Set<SimPodClass>();
    for (const { podClass, pods } of groupEqualPods(listRetriablePods())) {
      if (pods.some(({ uid }) => pins.has(uid))) {
        for (const pod of pods) bindPinned(podClass, pod);
      } else if (failed.has(podClass)) {
        markAllUnschedulable(pods);
      } else if (!bindPods(podClass, pods)) {
        failed.add(podClass);
        failedAt.set(podClass, clusterVersion);
      }
    }
  }

  /** Waiting pods whose class has not failed at this version of the cluster. */
  function listRetriablePods(): readonly Pod[] {
    const pods: Pod[] = [];
    for (const podClass of [...api.pods.waiting()]) {
      const waiting = api.pods.waitingOf(podClass).values();
      if (failedAt.get(podClass) === clusterVersion) markAllUnschedulable([...waiting]);
      else pods.push(...waiting);
    }
    return pods.toSorted(byQueueOrder);
  }

  function groupEqualPods(pods: readonly Pod[]): readonly EqualPods[] {
    const groups: { podClass: SimPodClass; pods: Pod[] }[] = [];
    for (const pod of pods) {
      const podClass = api.classes.of(pod);
      const last = groups.at(-1);
      if (last?.podClass === podClass) last.pods.push(pod);
      else groups.push({ podClass, pods: [pod] });
    }
    return groups;
  }

  function bindPinned(podClass: SimPodClass, pod: Pod): void {
    const load = loads.get(pins.get(pod.uid) ?? '');
    // If the node is gone, the pod waits for the DaemonSet controller to delete it.
    if (load) bindPods(podClass, [pod], load);
  }

  /** Binds equal pods in turn; if one fits nowhere, the following ones do not either. */
  function bindPods(podClass: SimPodClass, pods: readonly Pod[], only?: NodeLoad): boolean {
    let picker = finder.pickerFor(podClass, only);
    for (const [index, pod] of pods.entries()) {
      const name = isVolumeTaken(api, pod) ? undefined : picker.next();
      if (name === undefined) {
        markAllUnschedulable(pods.slice(index));
        return false;
      }
      bind(pod, name);
      const node = api.nodes.get(name);
      // A volume that was made with this pod ties the next pods of its claim to its zone.
      if (node && api.storage.provision(pod, node)) picker = finder.pickerFor(podClass, only);
    }
    return true;
  }

  function markAllUnschedulable(pods: readonly Pod[]): void {
    for (const pod of pods) markUnschedulable(api, pod, clock.now());
  }

  function bind(pod: Pod, nodeName: string): void {
    const { unschedulableSince, ...bound } = pod;
    void unschedulableSince;
    putPod(api.pods, { ...bound, nodeName });
  }

  return {
    pin: (pod, node) => {
      if (!isTerminal(pod)) pins.set(pod.uid, node);
    },
  };
}

/** Equal pods that follow each other in the queue. */
interface EqualPods {
  readonly podClass: SimPodClass;
  readonly pods: readonly Pod[];
}

/** kube-scheduler's queue order: priority, then age. */
const byQueueOrder = (a: Pod, b: Pod): number => b.spec.priority - a.spec.priority || a.createdAt - b.createdAt;

/**
 * The change affects free resources, topology counts or neighbours on a node. A pod that starts
 * running does not.
 */
const changesLoad = ({ before, after }: ObjectChange<Pod>): boolean =>
  before?.nodeName !== after?.nodeName ||
  before?.deletionAt !== after?.deletionAt ||
  (after !== undefined && isTerminal(after));

/** Sets the time once: Kubernetes repeats the same event with a higher count. */
function markUnschedulable(api: ApiServer, pod: Pod, now: EpochMs): void {
  if (pod.unschedulableSince === undefined) {
    putPod(api.pods, { ...pod, unschedulableSince: now });
  }
}
