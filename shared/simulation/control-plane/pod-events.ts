import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ApiServer } from './api-server.ts';

/** Time of the last pod event on each node (bound, finished or deleted), without DaemonSet pods. */
export interface PodEvents {
  /** By node name. Returns the same object until an event happens. */
  latest(): Readonly<Record<string, EpochMs>>;
}

export function watchPodEvents(api: ApiServer, now: () => EpochMs): PodEvents {
  const events = new Map<string, EpochMs>();
  let listed: Readonly<Record<string, EpochMs>> | undefined;

  api.pods.watch(({ before, after }) => {
    const pod = after ?? before;
    if (pod?.nodeName === undefined || isDaemon(pod) || !isPodEvent(before, after)) return;
    events.set(pod.nodeName, now());
    listed = undefined;
  });
  api.nodes.watch(({ before, after }) => {
    if (after || !events.delete(before?.name ?? '')) return;
    listed = undefined;
  });

  return { latest: () => (listed ??= Object.fromEntries(events)) };
}

function isPodEvent(before: Pod | undefined, after: Pod | undefined): boolean {
  // A pod that appears on its node ran there before the simulation.
  if (!before) return after?.phase !== 'Running';
  if (!after) return true;
  return before.nodeName !== after.nodeName || isTerminal(before) !== isTerminal(after);
}
