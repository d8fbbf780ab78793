import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { EpochMs } from '../../model/time.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { ObservedPod } from '../readers/read-pod.ts';

/** When a pod last came to, finished on or left each node; DaemonSet pods left out. */
export interface PodEvents {
  podChanged(before: ObservedPod | undefined, after: ObservedPod | undefined): void;
  nodeGone(name: string): void;
  /** By node name; the same object until one of them moves. */
  latest(): Readonly<Record<string, EpochMs>>;
}

/** @param now - for what leaves no trace of its own: a pod that is gone is not there to say when */
export function createPodEvents(now: () => EpochMs): PodEvents {
  const events = new Map<string, EpochMs>();
  let listed: Readonly<Record<string, EpochMs>> | undefined;

  function happened(node: string | undefined, at: EpochMs): void {
    if (node === undefined || at <= (events.get(node) ?? Number.NEGATIVE_INFINITY)) return;
    events.set(node, at);
    listed = undefined;
  }

  return {
    podChanged(before, after) {
      if (isDaemon(after?.pod ?? before?.pod ?? {})) return;
      if (!after) happened(before?.pod.nodeName, now());
      else if (matters(before, after)) happened(after.pod.nodeName, after.eventAt ?? now());
    },
    nodeGone(name) {
      if (events.delete(name)) listed = undefined;
    },
    latest: () => (listed ??= Object.fromEntries(events)),
  };
}

const matters = (before: ObservedPod | undefined, { pod }: ObservedPod): boolean =>
  !before ||
  before.pod.uid !== pod.uid ||
  before.pod.nodeName !== pod.nodeName ||
  isTerminal(before.pod) !== isTerminal(pod);
