import type { Pod } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import type { ApiServer } from './api-server.ts';
import { findSame, putPod } from './api-server.ts';
import { isAlive, type Machines } from './machine-room.ts';
import { drawMs } from './random.ts';
import type { VirtualClock } from './world.ts';

export interface PodRunnerParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly machines: Machines;
}

/** How fast containers stop when they are asked to; their grace period is the most they get. */
const STOP_MS = { least: 1_000, most: 5_000 };

/** The part of each kubelet that starts bound pods and ends terminating ones. */
export function startPodRunner({ seed, clock, api, machines }: PodRunnerParts): void {
  api.pods.watch(({ before, after }) => {
    if (!after) return;
    if (after.nodeName !== undefined && before?.nodeName === undefined) startSoon(after);
    if (after.deletionAt !== undefined && after.deletionAt !== before?.deletionAt) stopSoon(after);
  });

  function startSoon(pod: Pod): void {
    const takesMs = drawMs(seed, `start ${pod.uid}`, 1_000, 4_000);
    clock.schedule(clock.now() + takesMs, () => start(pod));
  }

  function start(bound: Pod): void {
    const pod = findSame(api.pods, bound);
    if (pod?.phase !== 'Pending' || pod.deletionAt !== undefined || !hasKubelet(pod)) return;
    putPod(api.pods, { ...pod, phase: 'Running', ready: true, startedAt: clock.now() });
  }

  function stopSoon(pod: Pod): void {
    const usualMs = drawMs(seed, `stop ${pod.uid}`, STOP_MS.least, STOP_MS.most);
    const at = Math.min(pod.deletionAt ?? clock.now(), clock.now() + usualMs);
    clock.schedule(at, () => stop(pod));
  }

  function stop(terminating: Pod): void {
    const pod = findSame(api.pods, terminating);
    // Without its kubelet nobody confirms the end: the pod stays until its Node is gone.
    if (pod && hasKubelet(pod)) api.pods.remove(podKey(pod));
  }

  function hasKubelet({ nodeName }: Pod): boolean {
    const node = api.nodes.get(nodeName ?? '');
    return node !== undefined && isAlive(machines.get(node.providerId ?? ''));
  }
}
