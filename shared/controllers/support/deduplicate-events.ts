import type { ClusterEvent } from '../../model/events.ts';
import type { PodKey } from '../../model/pod.ts';
import type { Journal } from '../../ports/ports.ts';

/** Told so much, it starts afresh: a repeated line costs less than memory without end. */
const MOST_PODS = 50_000;

type PodsEvent = Extract<ClusterEvent, { kind: 'placed' | 'unplaced' }>;

/**
 * Passes on what is new: pods stay pending for many plans, and each says of them the same. A pod is
 * told of again when something else is true of it. Wrapped around a home's journal once.
 */
export function quietJournal(journal: Journal): Journal {
  const told = new Map<PodKey, string>();

  return {
    decided: (decision) => journal.decided(decision),
    async happened(event) {
      if (event.kind === 'launch') note(told, event.pods, 'placed');
      if (event.kind !== 'placed' && event.kind !== 'unplaced') return journal.happened(event);

      const pods = news(told, event);
      if (pods.length > 0) await journal.happened({ ...event, pods });
    },
  };
}

function news(told: Map<PodKey, string>, event: PodsEvent): readonly PodKey[] {
  const what = event.kind === 'placed' ? 'placed' : event.text;
  const pods = event.pods.filter((pod) => told.get(pod) !== what);
  note(told, pods, what);
  return pods;
}

function note(told: Map<PodKey, string>, pods: readonly PodKey[], what: string): void {
  if (told.size + pods.length > MOST_PODS) told.clear();
  for (const pod of pods) told.set(pod, what);
}
