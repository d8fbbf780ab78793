import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { EventSubject, UserEvent } from './user-events.ts';

/** Upper limit for one decision or event; the decision log has the rest. */
const MAX_EVENTS = 25;
/**
 * @see Karpenter, events of nominations: 5 a second, 10 at once
 */
const NOMINATIONS_PER_SECOND = 5;
const MAX_NOMINATIONS = 10;
/**
 * At this size the memory of sent Events is cleared: some repeats are better than unbounded growth.
 */
const MAX_REMEMBERED = 10_000;

interface Quiet {
  readonly until: EpochMs;
  /** The last note. */
  readonly note: string;
  /** A warning with another note was written in this time. */
  readonly isBroken: boolean;
}

const NEVER_WRITTEN: Quiet = { until: Number.NEGATIVE_INFINITY, note: '', isBroken: false };

/** Limits how many Events are written, because each is a request. */
export interface EventBudget {
  select(events: readonly UserEvent[], now: EpochMs): readonly UserEvent[];
}

export function createEventBudget(): EventBudget {
  const quiet = new Map<string, Quiet>();
  let nominations = MAX_NOMINATIONS;
  let filledAt: EpochMs | undefined;

  function isNew(event: UserEvent, now: EpochMs): boolean {
    const { until, note, isBroken } = quiet.get(eventKey(event)) ?? NEVER_WRITTEN;
    if (now <= until) return event.type === 'Warning' && event.note !== note && !isBroken;
    return event.reason !== 'Nominated' || nominations >= 1;
  }

  function record(event: UserEvent, now: EpochMs): void {
    const key = eventKey(event);
    const { until } = quiet.get(key) ?? NEVER_WRITTEN;
    if (quiet.size >= MAX_REMEMBERED) quiet.clear();
    const isBroken = now <= until;
    quiet.set(key, {
      until: isBroken ? until : now + event.quietMs,
      note: event.note,
      isBroken,
    });
    if (event.reason === 'Nominated') nominations -= 1;
  }

  return {
    select(events, now) {
      const refilled = ((now - (filledAt ?? now)) / SECOND_MS) * NOMINATIONS_PER_SECOND;
      nominations = Math.min(nominations + refilled, MAX_NOMINATIONS);
      filledAt = now;

      const selected: UserEvent[] = [];
      for (const event of events) {
        if (selected.length === MAX_EVENTS) break;
        if (!isNew(event, now)) continue;
        record(event, now);
        selected.push(event);
      }
      return selected;
    },
  };
}

/** Two Events are equal even if their notes differ. */
export const eventKey = ({ reason, subject, about = '' }: Pick<UserEvent, 'reason' | 'subject' | 'about'>): string =>
  `${reason} ${subject.kind} ${subjectName(subject)} ${about}`.trimEnd();

function subjectName(subject: EventSubject): string {
  switch (subject.kind) {
    case 'Pod':
      return subject.pod;
    case 'NodePool':
      return subject.pool;
    case 'EC2NodeClass':
      return subject.nodeClass;
    case 'NodeClaim':
    case 'Node':
      return subject.claim;
  }
}
