import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { Confirmation, Decision, DecisionLog } from '../../ports/decision-log.ts';
import type { RecordedEvent } from '../world.ts';

/** Retention limits. A plan with its reasons can be large, an event is small. */
const KEPT_DECISIONS = 500;
const KEPT_EVENTS = 10_000;

export type RecordDecision = (decision: Decision | Confirmation) => Promise<void>;

export interface SimDecisionLog extends DecisionLog {
  /** Synchronous `recordEvent`. */
  addEvent(event: ClusterEvent): void;
  decisions(): readonly Decision[];
  events(afterSeq?: number): readonly RecordedEvent[];
}

/**
 * Keeps the newest decisions and events.
 *
 * @param onEntry - called after each entry
 * @param onDecision - called with each decision before it is kept
 */
export function createSimDecisionLog(onEntry: () => void, onDecision: RecordDecision = async () => {}): SimDecisionLog {
  let decisions: readonly Decision[] = [];
  let events: RecordedEvent[] = [];
  let seq = 0;

  function addEvent(event: ClusterEvent): void {
    seq += 1;
    events.push({ seq, event });
    // Trimming at twice the limit keeps the cost per event constant.
    if (events.length > 2 * KEPT_EVENTS) events = events.slice(-KEPT_EVENTS);
    onEntry();
  }

  return {
    addEvent,
    recordEvent: async (event) => addEvent(event),
    async recordDecision(decision) {
      await onDecision(decision);
      // The input refers to a whole snapshot, which must not stay in memory.
      const { input: _, ...kept } = decision;
      decisions = [...decisions.slice(1 - KEPT_DECISIONS), kept];
      onEntry();
    },
    recordConfirmation: onDecision,
    decisions: () => decisions,
    events(afterSeq = 0) {
      const first = events[0]?.seq ?? 1;
      return events.slice(Math.max(0, afterSeq + 1 - first));
    },
  };
}
