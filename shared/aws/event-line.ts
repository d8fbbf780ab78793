import { severityOf } from '../model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../model/explanations/events.ts';
import { formatInstant } from '../model/time.ts';
import type { LogLine } from './log.ts';

/** Fields of events that are times, in milliseconds since the epoch. */
const TIMES: ReadonlySet<string> = new Set(['at', 'deadline', 'endsAt', 'since', 'startedAt', 'until']);

/** The log line of an event, with its times as people and queries read them: `2026-01-01T12:00:00Z`. */
export const toEventLine = (event: ClusterEvent): LogLine => ({
  level: isLoggedAsPhase(event) ? 'debug' : severityOf(event),
  message: event.kind,
  fields: {
    event: Object.fromEntries(
      Object.entries(event).map(([name, value]: [string, unknown]) => [
        name,
        TIMES.has(name) && typeof value === 'number' ? formatInstant(value) : value,
      ]),
    ),
  },
});

/** The line `NodeClaim draining` says the same, with the reason and the Node. */
const isLoggedAsPhase = (event: ClusterEvent): boolean => event.kind === 'draining' && event.deadline === undefined;
