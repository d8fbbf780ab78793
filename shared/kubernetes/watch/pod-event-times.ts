import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObservedPod } from '../../ports/view-store.ts';

/** When a pod last was bound to, finished on or left each node; pods of DaemonSets do not count. */
export interface PodEventTimes {
  onPodChange(before: ObservedPod | undefined, after: ObservedPod | undefined): void;
  onNodeRemoved(name: string): void;
  /** Adds times that another process observed. */
  restore(times: Readonly<Record<string, EpochMs>>): void;
  /** By node name. The object stays identical until a time changes. */
  latest(): Readonly<Record<string, EpochMs>>;
}

/**
 * @param now - used for deleted pods, which carry no time of their own
 */
export function createPodEventTimes(now: () => EpochMs): PodEventTimes {
  const events = new Map<string, EpochMs>();
  let snapshot: Readonly<Record<string, EpochMs>> | undefined;

  function record(node: string | undefined, at: EpochMs): void {
    if (node === undefined || at <= (events.get(node) ?? Number.NEGATIVE_INFINITY)) return;
    events.set(node, at);
    snapshot = undefined;
  }

  return {
    onPodChange(before, after) {
      if (isDaemon(after?.pod ?? before?.pod ?? {})) return;
      if (!after) record(before?.pod.nodeName, now());
      else if (isPodEvent(before?.pod, after.pod)) {
        // The deletion timestamp lies in the future, at the end of the grace period.
        const at = isNewlyDeleted(before?.pod, after.pod) ? undefined : after.eventAt;
        record(after.pod.nodeName, at ?? now());
      }
    },
    onNodeRemoved(name) {
      if (events.delete(name)) snapshot = undefined;
    },
    restore(times) {
      for (const [node, at] of Object.entries(times)) record(node, at);
    },
    latest: () => (snapshot ??= Object.fromEntries(events)),
  };
}

/** True if the pod was bound, finished, or is being deleted. */
export const isPodEvent = (before: Pod | undefined, pod: Pod): boolean =>
  !before ||
  before.uid !== pod.uid ||
  before.nodeName !== pod.nodeName ||
  isTerminal(before) !== isTerminal(pod) ||
  isNewlyDeleted(before, pod);

const isNewlyDeleted = (before: Pod | undefined, { deletionAt }: Pod): boolean =>
  before !== undefined && before.deletionAt === undefined && deletionAt !== undefined;
