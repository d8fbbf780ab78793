import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Subject, UserEvent } from './user-events.ts';

/** One happening, one decision: what goes beyond is in the log, and in the journal. */
const MOST_AT_ONCE = 25;
/** @see Karpenter, events of nominations: 5 a second, 10 at once */
const NOMINATIONS_PER_SECOND = 5;
const MOST_NOMINATIONS = 10;
/** Told so much, it starts afresh: a repeated line costs less than memory without end. */
const MOST_REMEMBERED = 10_000;

/** What of many events is worth a request each. */
export interface EventBudget {
  choose(events: readonly UserEvent[], now: EpochMs): readonly UserEvent[];
}

export function createEventBudget(): EventBudget {
  const quietUntil = new Map<string, EpochMs>();
  let nominations = MOST_NOMINATIONS;
  let filledAt: EpochMs | undefined;

  function isNews(event: UserEvent, now: EpochMs): boolean {
    if (now <= (quietUntil.get(keyOf(event)) ?? Number.NEGATIVE_INFINITY)) return false;
    return event.reason !== 'Nominated' || nominations >= 1;
  }

  function note(event: UserEvent, now: EpochMs): void {
    if (quietUntil.size >= MOST_REMEMBERED) quietUntil.clear();
    quietUntil.set(keyOf(event), now + event.quietMs);
    if (event.reason === 'Nominated') nominations -= 1;
  }

  return {
    choose(events, now) {
      const gained = ((now - (filledAt ?? now)) / SECOND_MS) * NOMINATIONS_PER_SECOND;
      nominations = Math.min(nominations + gained, MOST_NOMINATIONS);
      filledAt = now;

      const chosen: UserEvent[] = [];
      for (const event of events) {
        if (chosen.length === MOST_AT_ONCE) break;
        if (!isNews(event, now)) continue;
        note(event, now);
        chosen.push(event);
      }
      return chosen;
    },
  };
}

/** The note does not count: a reason that says the same in other words says the same. */
export const keyOf = ({
  reason,
  subject,
  about = '',
}: Pick<UserEvent, 'reason' | 'subject' | 'about'>): string =>
  `${reason} ${subject.kind} ${nameOf(subject)} ${about}`.trimEnd();

function nameOf(subject: Subject): string {
  switch (subject.kind) {
    case 'Pod':
      return subject.pod;
    case 'NodePool':
      return subject.pool;
    case 'NodeClaim':
    case 'Node':
      return subject.claim;
  }
}
