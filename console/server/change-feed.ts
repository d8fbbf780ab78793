import type { ConsoleSource } from '../source.ts';
import type { Keyframe, StateView } from '../views.ts';
import { diffStates } from './diff.ts';

/** Number of events in a keyframe. */
export const RECENT_EVENTS = 60;

export interface Change {
  readonly type: 'event' | 'decision' | 'patch';
  readonly data: unknown;
}

export interface ChangeFeed {
  /**
   * The changes since the last call. Events are first, so that an effect is never shown before its
   * cause.
   */
  next(): Promise<Change[]>;
  /** The state after the last `next`. */
  keyframe(): Promise<Keyframe>;
}

/** Turns the states of a source into changes. */
export function changeFeed(source: ConsoleSource): ChangeFeed {
  let shown: StateView | undefined;
  let eventSeq = source.events(0).at(-1)?.seq ?? 0;
  let decidedAt = source.decisions(0).at(-1)?.at ?? 0;
  let sentIds = new Set(source.decisions(decidedAt).map(({ id }) => id));

  const events = (): Change[] => {
    const newEvents = source.events(eventSeq);
    eventSeq = newEvents.at(-1)?.seq ?? eventSeq;
    return newEvents.map((data) => ({ type: 'event', data }));
  };

  // Several decisions may share a millisecond, so the ids of the newest instant are kept.
  const decisions = (): Change[] => {
    const newDecisions = source.decisions(decidedAt).filter(({ id }) => !sentIds.has(id));
    const newest = newDecisions.at(-1)?.at ?? decidedAt;
    if (newest !== decidedAt) sentIds = new Set();
    decidedAt = newest;
    for (const { id, at } of newDecisions) if (at === newest) sentIds.add(id);
    return newDecisions.map((data) => ({ type: 'decision', data }));
  };

  const patches = async (): Promise<Change[]> => {
    const after = await source.state();
    const patch = shown && diffStates(shown, after);
    shown = after;
    return patch ? [{ type: 'patch', data: patch }] : [];
  };

  return {
    async next() {
      const happened = [...events(), ...decisions()];
      return [...happened, ...(await patches())];
    },
    async keyframe() {
      shown ??= await source.state();
      const recent = source.events(0).filter(({ seq }) => seq <= eventSeq);
      return { ...shown, clock: source.clock(), events: recent.slice(-RECENT_EVENTS) };
    },
  };
}
