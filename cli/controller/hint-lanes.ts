import type { Hint } from '../../shared/ports/work-queue.ts';

type Topic = Hint['topic'];

/** Plans follow one another, as do disruptions and sweeps; claims do not wait for each other. */
const MOST_AT_ONCE: Readonly<Partial<Record<Topic, number>>> = { claim: 10, interruption: 10 };

export const mostAtOnce = (topic: Topic): number => MOST_AT_ONCE[topic] ?? 1;

/** Equal for hints that say the same. When a notice was given does not matter. */
export const keyOf = (hint: Hint): string =>
  hint.topic === 'interruption'
    ? `interruption ${hint.notice.kind} ${hint.notice.providerId}`
    : JSON.stringify(hint);
