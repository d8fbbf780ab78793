import { podKey } from '../model/pod.ts';
import { SECOND_MS } from '../model/time.ts';
import type { ApiServer } from './api-server.ts';
import type { VirtualClock } from './world.ts';

/** How long pods outlive their Node object: the period of the pod garbage collector. */
const COLLECTED_AFTER_MS = 20 * SECOND_MS;

/** Removes pods that are bound to a Node which is no more. */
export function startPodGarbageCollection(clock: VirtualClock, api: ApiServer): void {
  api.nodes.watch(({ before, after }) => {
    if (after || !before) return;
    clock.schedule(clock.now() + COLLECTED_AFTER_MS, () => {
      if (api.nodes.get(before.name)) return;
      for (const pod of [...api.pods.onNode(before.name).values()]) api.pods.remove(podKey(pod));
    });
  });
}
