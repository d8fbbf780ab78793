import * as z from 'zod';
import { toUserEvents } from '../../shared/kubernetes/events/cluster-user-events.ts';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { entriesOf, isRecord, parseJsonLine, textAt, valueAt } from './lab/json.ts';
import { watchEvents } from './lab/kubernetes/event-watch.ts';
import type { Lab } from './lab/start-lab.ts';

/** The Events of Mortise and the log of its functions, over a whole run. */
export interface EventsReport {
  /** Events in the API server, by reason. */
  readonly events: Readonly<Record<string, number>>;
  readonly log: {
    readonly minutes: number;
    readonly lines: number;
    readonly warn: number;
    readonly error: number;
    /** Lines, by message. */
    readonly messages: Readonly<Record<string, number>>;
    /** Lines about an event that an earlier line has, with another time. */
    readonly repeated: readonly string[];
  };
  /**
   * Reasons of Events that the log says were recorded, and that no Event in the API server has. Events of pods
   * do not count: the API server refuses those of a namespace that is being deleted.
   */
  readonly missing: readonly string[];
}

/** Starts to watch Events. @returns a function that ends the watch and compares it with the log */
export function startEventsReport(lab: Lab): () => Promise<EventsReport> {
  const watch = watchEvents(lab.kube);
  const since = Date.now();
  return async () => {
    const lines = (await lab.logs(since)).flatMap(({ text }) => {
      const line = parseJsonLine(text);
      return isRecord(line) && 'level' in line ? [line] : [];
    });
    const events = watch.countByReason();
    watch.end();
    const count = (level: string): number => lines.filter((line) => line.level === level).length;
    const recorded = new Set(lines.flatMap(listReasons));
    return {
      events,
      log: {
        minutes: Math.round((Date.now() - since) / 60_000),
        lines: lines.length,
        warn: count('WARN'),
        error: count('ERROR'),
        messages: countBy(lines.map((line) => textAt(line, 'message'))),
        repeated: listRepeated(lines),
      },
      missing: [...recorded].filter((reason) => !(reason in events)).toSorted(),
    };
  };
}

const countBy = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(names, (name) => name)]
      .map(([name, group]) => [name, group.length] as const)
      .toSorted(([, a], [, b]) => b - a),
  );

function listRepeated(lines: readonly object[]): readonly string[] {
  const texts = lines.flatMap((line) => {
    const fields = entriesOf(valueAt(line, 'event')).filter(([name]) => name !== 'at');
    return fields.length > 0 ? [JSON.stringify(Object.fromEntries(fields))] : [];
  });
  return texts.filter((text, index) => texts.indexOf(text) < index);
}

const eventSchema = z.custom<ClusterEvent>((value) => isRecord(value) && 'kind' in value);

/** The log has times as texts. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function listReasons(line: unknown): readonly string[] {
  const entries = entriesOf(valueAt(line, 'event')).map(([name, value]) => [
    name,
    typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : value,
  ]);
  const { data: event } = eventSchema.safeParse(Object.fromEntries(entries));
  return event ? toUserEvents(event).flatMap(({ reason, subject }) => (subject.kind === 'Pod' ? [] : reason)) : [];
}
