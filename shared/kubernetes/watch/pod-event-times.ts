import { isTerminal } from '../../model/pods/disruption-pods.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObservedPod } from '../readers/read-pod.ts';

/** When a pod last was bound to, finished on or left each node; pods of DaemonSets do not count. */
export interface PodEventTimes {
  onPodChange(before: ObservedPod | undefined, after: ObservedPod | undefined): void;
  onNodeRemoved(name: string): void;
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
