import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import type { Journal } from '../../ports/ports.ts';

/** Told so much, it starts afresh: a repeated line costs less than memory without end. */
const MAX_PODS = 50_000;

type PodsEvent = Extract<ClusterEvent, { kind: 'placed' | 'unplaced' }>;

/**
 * Passes on what is new: pods stay pending for many plans, and each says of them the same. A pod is
 * told of again when something else is true of it. Wrapped around a home's journal once.
 */
export function deduplicateEvents(journal: Journal): Journal {
  const lastReported = new Map<PodKey, string>();

  return {
    decided: (decision) => journal.decided(decision),
    async happened(event) {
      if (event.kind === 'launch') remember(lastReported, event.pods, 'placed');
      if (event.kind !== 'placed' && event.kind !== 'unplaced') return journal.happened(event);

      const pods = selectUnreported(lastReported, event);
      if (pods.length > 0) await journal.happened({ ...event, pods });
    },
  };
}

function selectUnreported(lastReported: Map<PodKey, string>, event: PodsEvent): readonly PodKey[] {
  const text = event.kind === 'placed' ? 'placed' : event.text;
  const pods = event.pods.filter((pod) => lastReported.get(pod) !== text);
  remember(lastReported, pods, text);
  return pods;
}

function remember(lastReported: Map<PodKey, string>, pods: readonly PodKey[], text: string): void {
  if (lastReported.size + pods.length > MAX_PODS) lastReported.clear();
  for (const pod of pods) lastReported.set(pod, text);
}
