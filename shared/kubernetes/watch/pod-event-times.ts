import { isTerminal } from '../../model/pods/disruption-pods.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObservedPod } from '../readers/read-pod.ts';

/** When a pod last came to, finished on or left each node; DaemonSet pods left out. */
export interface PodEventTimes {
  onPodChange(before: ObservedPod | undefined, after: ObservedPod | undefined): void;
  onNodeRemoved(name: string): void;
  /** By node name; the same object until one of them moves. */
  latest(): Readonly<Record<string, EpochMs>>;
}

/** @param now - for what leaves no trace of its own: a pod that is gone is not there to say when */
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
      else if (isPodEvent(before, after)) record(after.pod.nodeName, after.eventAt ?? now());
    },
    onNodeRemoved(name) {
      if (events.delete(name)) snapshot = undefined;
    },
    latest: () => (snapshot ??= Object.fromEntries(events)),
  };
}

const isPodEvent = (before: ObservedPod | undefined, { pod }: ObservedPod): boolean =>
  !before ||
  before.pod.uid !== pod.uid ||
  before.pod.nodeName !== pod.nodeName ||
  isTerminal(before.pod) !== isTerminal(pod);
