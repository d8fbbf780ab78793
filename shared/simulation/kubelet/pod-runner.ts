import { isManagedNode } from '../../model/nodes/node.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import { drawMs } from '../../model/random.ts';
import { isPoweredOn, type SimInstances } from '../cloud/instances.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import { findCurrentPod, putPod } from '../control-plane/api-server.ts';
import type { VirtualClock } from '../world.ts';

export interface PodRunnerParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly instances: SimInstances;
}

/** How long containers take to stop, within their grace period. */
const STOP_MS = { min: 1_000, max: 5_000 };

/** The part of each kubelet that starts bound pods and stops terminating ones. */
export function startPodRunner({ seed, clock, api, instances }: PodRunnerParts): void {
  api.pods.watch(({ before, after }) => {
    if (!after) return;
    if (after.nodeName !== undefined && before?.nodeName === undefined) scheduleStart(after);
    if (after.deletionAt !== undefined && after.deletionAt !== before?.deletionAt) scheduleStop(after);
  });

  function scheduleStart(pod: Pod): void {
    const takesMs = drawMs(seed, `start ${pod.uid}`, 1_000, 4_000);
    clock.schedule(clock.now() + takesMs, () => start(pod));
  }

  function start(bound: Pod): void {
    const pod = findCurrentPod(api.pods, bound);
    if (pod?.phase !== 'Pending' || pod.deletionAt !== undefined || !hasKubelet(pod)) return;
    const now = clock.now();
    putPod(api.pods, { ...pod, phase: 'Running', ready: true, startedAt: now, runningAt: now });
  }

  function scheduleStop(pod: Pod): void {
    const usualMs = drawMs(seed, `stop ${pod.uid}`, STOP_MS.min, STOP_MS.max);
    const at = Math.min(pod.deletionAt ?? clock.now(), clock.now() + usualMs);
    clock.schedule(at, () => stop(pod));
  }

  function stop(terminating: Pod): void {
    const pod = findCurrentPod(api.pods, terminating);
    // Without a kubelet the pod stays in the API until its Node is deleted.
    if (pod && hasKubelet(pod)) api.pods.remove(podKey(pod));
  }

  function hasKubelet({ nodeName }: Pod): boolean {
    const node = api.nodes.get(nodeName ?? '');
    if (!node) return false;
    // Nothing simulated stands behind the nodes of a node group: they always work.
    return !isManagedNode(node) || isPoweredOn(instances.get(node.providerId ?? ''));
  }
}
