import type { EventKind, EventKinds } from './event-kind.ts';
import type { ClusterEvent } from './events.ts';
import { NODE_EVENT_KINDS } from './node-event-kinds.ts';
import { PLAN_EVENT_KINDS } from './plan-event-kinds.ts';

/** Each kind of event once: its sentence, its severity, its Kubernetes Events and what is published of it. */
const EVENT_KINDS: EventKinds = { ...NODE_EVENT_KINDS, ...PLAN_EVENT_KINDS };

export const findEventKind = ({ kind }: ClusterEvent): EventKind => EVENT_KINDS[kind];

/** Formats the event as one sentence, which the console, the terminal and logs share. Times are UTC. */
export const formatEvent = (event: ClusterEvent): string => findEventKind(event).sentence(event);

/** The level at which logs have the event. */
export const severityOf = (event: ClusterEvent): 'info' | 'warn' =>
  findEventKind(event).warns?.(event) ? 'warn' : 'info';
