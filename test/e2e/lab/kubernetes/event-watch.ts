import { textAt } from '../json.ts';
import type { AdminClient } from './admin-client.ts';

const PATH = '/apis/events.k8s.io/v1/events';
const REPORTER = 'mortise';

/** An Event of Mortise, as the API server has it. */
export interface SeenEvent {
  readonly reason: string;
  readonly type: string;
  readonly kind: string;
  /** Pods: without their namespace. */
  readonly name: string;
  readonly note: string;
}

export interface EventWatch {
  /** All Events since the watch began, and those that existed then. */
  list(): readonly SeenEvent[];
  /** The number of Events of each reason. */
  countByReason(): Readonly<Record<string, number>>;
  end(): void;
}

/** Watches the Events that Mortise writes. The API server deletes them after an hour. */
export function watchEvents(kube: AdminClient): EventWatch {
  const events = new Map<string, SeenEvent>();
  const ending = new AbortController();
  kube.watch(
    PATH,
    (type, event) => {
      if (type === 'DELETED' || textAt(event, 'reportingController') !== REPORTER) return;
      events.set(textAt(event, 'metadata', 'uid'), {
        reason: textAt(event, 'reason'),
        type: textAt(event, 'type'),
        kind: textAt(event, 'regarding', 'kind'),
        name: textAt(event, 'regarding', 'name'),
        note: textAt(event, 'note'),
      });
    },
    ending.signal,
  );
  return {
    list: () => [...events.values()],
    countByReason: () =>
      Object.fromEntries(
        [...Map.groupBy(events.values(), ({ reason }) => reason)]
          .map(([reason, group]) => [reason, group.length] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    end: () => ending.abort(),
  };
}
