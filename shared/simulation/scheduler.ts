import type { Pod } from '../model/pod.ts';
import type { Storage } from '../model/storage.ts';
import type { EpochMs } from '../model/time.ts';
import type { ApiServer } from './api-server.ts';
import { putPod } from './api-server.ts';
import type { Places } from './find-places.ts';
import { createPlaceFinder } from './find-places.ts';
import { createNodeLoads } from './node-load.ts';
import type { Change } from './object-store.ts';
import { isFinished, type PodClass } from './pod-store.ts';
import { volumeReach } from './volume-reach.ts';
import type { VirtualClock } from './world.ts';

/** From a change to the pass that sees it: kube-scheduler's own latency. */
const PASS_DELAY_MS = 100;

export interface Scheduler {
  /** Keeps a pod to one node, as the DaemonSet controller's node affinity does. */
  pin(pod: Pod, node: string): void;
}

/** Binds waiting pods by kube-scheduler's rules; marks those that fit nowhere. */
export function startScheduler(clock: VirtualClock, api: ApiServer, storage?: Storage): Scheduler {
  const loads = createNodeLoads(api.classes);
  const finder = createPlaceFinder(api.namespaces, loads, volumeReach(storage));
  const pins = new Map<string, string>();
  /** At which state of the cluster a class last found no place: until it changes, none will be. */
  const failedAt = new Map<PodClass, number>();
  let state = 0;
  let isDue = false;

  api.nodes.watch((change) => {
    loads.onNode(change);
    state += 1;
    requestPass();
  });
  api.pods.watch((change) => {
    loads.onPod(change);
    if (!change.after) pins.delete(change.before?.uid ?? '');
    const isMoved = movesLoad(change);
    if (isMoved) state += 1;
    if (isMoved || !change.before) requestPass();
  });

  function requestPass(): void {
    if (isDue) return;
    isDue = true;
    clock.schedule(clock.now() + PASS_DELAY_MS, pass);
  }

  function pass(): void {
    isDue = false;
    const failed = new Set<PodClass>();
    for (const { podClass, pods } of runsOf(retriable())) {
      if (pods.some(({ uid }) => pins.has(uid))) {
        for (const pod of pods) placePinned(podClass, pod);
      } else if (failed.has(podClass)) {
        markAll(pods);
      } else if (!placeNext(pods, finder.placesFor(podClass))) {
        failed.add(podClass);
        failedAt.set(podClass, state);
      }
    }
  }

  /** Waiting pods whose class has not failed against this very state of the cluster. */
  function retriable(): readonly Pod[] {
    const pods: Pod[] = [];
    for (const podClass of [...api.pods.waiting()]) {
      const waiting = api.pods.waitingOf(podClass).values();
      if (failedAt.get(podClass) === state) markAll([...waiting]);
      else pods.push(...waiting);
    }
    return pods.toSorted(byUrgency);
  }

  function runsOf(pods: readonly Pod[]): readonly Run[] {
    const runs: { podClass: PodClass; pods: Pod[] }[] = [];
    for (const pod of pods) {
      const podClass = api.classes.of(pod);
      const last = runs.at(-1);
      if (last?.podClass === podClass) last.pods.push(pod);
      else runs.push({ podClass, pods: [pod] });
    }
    return runs;
  }

  function placePinned(podClass: PodClass, pod: Pod): void {
    const load = loads.get(pins.get(pod.uid) ?? '');
    // Its node is not there any more: it waits for its controller to take it back.
    if (load) placeNext([pod], finder.placesFor(podClass, load));
  }

  /** Equal pods: where one finds no place, those after it find none either. */
  function placeNext(pods: readonly Pod[], places: Places): boolean {
    for (const [index, pod] of pods.entries()) {
      const node = places.next();
      if (node === undefined) {
        markAll(pods.slice(index));
        return false;
      }
      bind(pod, node);
    }
    return true;
  }

  function markAll(pods: readonly Pod[]): void {
    for (const pod of pods) markUnschedulable(api, pod, clock.now());
  }

  function bind(pod: Pod, nodeName: string): void {
    const { unschedulableSince, ...bound } = pod;
    void unschedulableSince;
    putPod(api.pods, { ...bound, nodeName });
  }

  return {
    pin: (pod, node) => {
      if (!isFinished(pod)) pins.set(pod.uid, node);
    },
  };
}

/** Equal pods that are next in the queue together. */
interface Run {
  readonly podClass: PodClass;
  readonly pods: readonly Pod[];
}

/** Priority first, then age: the order of kube-scheduler's queue. */
const byUrgency = (a: Pod, b: Pod): number =>
  b.spec.priority - a.spec.priority || a.createdAt - b.createdAt;

/** Whether room, counts or neighbours on some node changed; starting on it is no such thing. */
const movesLoad = ({ before, after }: Change<Pod>): boolean =>
  before?.nodeName !== after?.nodeName ||
  before?.deletionAt !== after?.deletionAt ||
  (after !== undefined && isFinished(after));

/** Only the first time: the event is the same one, counted up, after that. */
function markUnschedulable(api: ApiServer, pod: Pod, now: EpochMs): void {
  if (pod.unschedulableSince === undefined) {
    putPod(api.pods, { ...pod, unschedulableSince: now });
  }
}
