import type { NumberedEvent } from '../../console/views/events.ts';
import type { Decision, DecisionLog } from '../../shared/ports/decision-log.ts';

/** The newest decisions and events of a controller, for its console. */
export interface DecisionTap {
  readonly decisionLog: DecisionLog;
  decisions(): readonly Decision[];
  events(): readonly NumberedEvent[];
}

const KEPT_DECISIONS = 500;
const KEPT_EVENTS = 2_000;

/** Passes everything on, and keeps the newest entries. */
export function tapDecisions(decisionLog: DecisionLog): DecisionTap {
  let decisions: readonly Decision[] = [];
  let events: readonly NumberedEvent[] = [];
  let seq = 0;
  return {
    decisionLog: {
      ...decisionLog,
      async recordDecision(decision) {
        // The input refers to a whole snapshot, which must not stay in memory.
        const { input: _, ...kept } = decision;
        decisions = [...decisions.slice(1 - KEPT_DECISIONS), kept];
        await decisionLog.recordDecision(decision);
      },
      async recordEvent(event) {
        seq += 1;
        events = [...events.slice(1 - KEPT_EVENTS), { seq, event }];
        await decisionLog.recordEvent(event);
      },
    },
    decisions: () => decisions,
    events: () => events,
  };
}
