import { formatEvent } from '../../shared/model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import { formatLaunches } from '../../shared/model/explanations/launch-text.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { plural } from '../format.ts';
import type { EventView, ObjectRef } from '../views.ts';
import { eventView, type NumberedEvent } from './events.ts';

/** Events of one cause happen within this time; repeated events within a longer one. */
const SAME_CAUSE_MS = 10 * SECOND_MS;
const REPEATED_MS = 10 * MINUTE_MS;

interface Group {
  readonly untilMs: number;
  readonly members: NumberedEvent[];
}

/**
 * The events as the feed shows them: equal events of one cause become one, in the place of the
 * newest.
 *
 * @param afterSeq - only what is new after this event; a merged event then names those that it
 *   replaces
 */
export function eventViews(events: readonly NumberedEvent[], afterSeq = 0): readonly EventView[] {
  return mergedGroups(events)
    .map(({ members }) => members)
    .filter((members) => (members.at(-1)?.seq ?? 0) > afterSeq)
    .map(toView)
    .toSorted((a, b) => a.seq - b.seq);
}

function mergedGroups(events: readonly NumberedEvent[]): readonly Group[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const numbered of events) {
    const { key, withinMs } = findCause(numbered.event);
    const group = open.get(key);
    if (group && numbered.event.at <= group.untilMs) {
      group.members.push(numbered);
      continue;
    }
    const created = { untilMs: numbered.event.at + withinMs, members: [numbered] };
    open.set(key, created);
    groups.push(created);
  }
  return groups;
}

interface Cause {
  readonly key: string;
  readonly withinMs: number;
}

/** Events with the same key that happen close together have the same cause. */
function findCause(event: ClusterEvent): Cause {
  if (event.kind === 'launch') {
    const { instanceType, zone, capacityType } = event.offering;
    const purpose = event.replaces ? event.replaces.join() : 'pods';
    return sameCause(`launch ${instanceType} ${zone} ${capacityType} ${purpose}`);
  }
  if (event.kind === 'evicted') return sameCause(`evicted ${event.claim} ${event.reason}`);
  if (event.kind === 'drifted') return sameCause(`drifted ${event.reason} ${event.text}`);
  if (event.kind === 'you') return sameCause(`you ${event.at} ${event.text}`);
  if (OF_ONE_CAUSE.has(event.kind)) return sameCause(event.kind);
  return { key: `${event.kind} ${formatEvent({ ...event, at: 0 })}`, withinMs: REPEATED_MS };
}

/** Events that happen to several nodes at once. */
const OF_ONE_CAUSE: ReadonlySet<ClusterEvent['kind']> = new Set([
  'ready',
  'terminated',
  'rebalance',
  'adopted',
  'expired',
]);

const sameCause = (key: string): Cause => ({ key, withinMs: SAME_CAUSE_MS });

function toView(members: readonly NumberedEvent[]): EventView {
  const newest = members.at(-1);
  if (!newest) throw new Error('a group of events is never empty');
  const view = eventView(newest);
  if (members.length === 1) return view;
  const events = members.map(({ event }) => event);
  return {
    ...view,
    text: mergedText(events, view.text),
    objects: uniqueObjects(members.flatMap((member) => eventView(member).objects)),
    replaces: members.slice(0, -1).map(({ seq }) => seq),
  };
}

function mergedText(events: readonly ClusterEvent[], newestText: string): string {
  const launches = events.filter((event) => event.kind === 'launch');
  if (launches.length === events.length) return formatLaunches(launches);
  const pods = new Set(events.flatMap((event) => (event.kind === 'evicted' ? [event.pod] : [])));
  if (pods.size > 1) return `${newestText} Likewise ${plural(pods.size - 1, 'other pod')}.`;
  const claims = new Set(events.flatMap((event) => ('claim' in event ? [event.claim] : [])));
  if (claims.size <= 1) return `${newestText} (${events.length} times)`;
  const others = [...claims].slice(0, -1);
  const named = others.slice(0, MAX_NAMED).join(', ');
  const more = others.length - MAX_NAMED;
  return `${newestText} Likewise ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}

const MAX_NAMED = 3;

const uniqueObjects = (objects: readonly ObjectRef[]): readonly ObjectRef[] => [
  ...new Map(objects.map((object) => [`${object.kind}/${object.name}`, object])).values(),
];
