import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';

/** Above this the memory is cleared: a repeated event costs less than unbounded memory. */
const MAX_PODS = 50_000;

type PodsEvent = Extract<ClusterEvent, { kind: 'placed' | 'unplaced' }>;

/**
 * Drops repeated events: pods stay pending for many plans, and each reports the same for them. A
 * pod is reported again when its state changes. Apply once per process.
 */
export function deduplicateEvents(decisionLog: DecisionLog): DecisionLog {
  const lastReported = new Map<PodKey, string>();

  return {
    ...decisionLog,
    async recordEvent(event) {
      if (event.kind === 'launch') remember(lastReported, event.pods, 'placed');
      if (event.kind !== 'placed' && event.kind !== 'unplaced') return decisionLog.recordEvent(event);

      const pods = selectUnreported(lastReported, event);
      if (pods.length > 0) await decisionLog.recordEvent({ ...event, pods });
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
