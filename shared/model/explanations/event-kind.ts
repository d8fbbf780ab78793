import type { MetricLabels, MetricOf } from '../metrics/metrics.ts';
import type { PodKey } from '../pods/pod.ts';
import type { DetailFacts, KindAndDetail } from '../published-events/published-event.ts';
import type { EventReason } from './event-reasons.ts';
import type { ClusterEvent } from './events.ts';

export type EventOf<K extends ClusterEvent['kind']> = Extract<ClusterEvent, { readonly kind: K }>;

/** All that is told about events of one kind. */
export interface EventKind<E extends ClusterEvent = ClusterEvent> {
  /** One sentence, which the console, the terminal and logs share. Times are UTC. */
  sentence(event: E): string;
  /** True if it needs attention, because something does not go as planned. */
  warns?(event: E): boolean;
  /** Its Kubernetes Events. Without it, the kind is visible on the objects themselves, or concerns none. */
  kubernetes?(event: E): readonly KubernetesEvent[];
  /** Events for systems outside of the cluster: one for each node that goes, and none that needs no reaction. */
  published?(event: E, facts: DetailFacts): readonly KindAndDetail[];
  /** Increments the metric that counts such events. */
  count?(event: E, counters: Counters): void;
}

interface Counters {
  count<N extends MetricOf<'counter'>>(name: N, labels: MetricLabels<N>): void;
}

export type EventKinds = { readonly [K in ClusterEvent['kind']]: EventKind<EventOf<K>> };

/** A Kubernetes Event for each object that the event names. */
export interface KubernetesEvent {
  readonly reason: EventReason;
  /** `claim-and-node`: users look at the Node, tools at the NodeClaim. */
  readonly on: 'claim-and-node' | 'claim' | 'node' | 'pod' | 'pool' | 'class';
  /** `undefined` for all pods of the event. */
  readonly pods?: readonly PodKey[];
  /** `undefined` for a warning if the event needs attention. */
  readonly type?: 'Normal' | 'Warning';
  /** `undefined` for the sentence of the event. */
  readonly note?: string;
  /** Follows the note. */
  readonly addition?: string;
  /** How long an Event with the same reason and object is suppressed; `undefined` for the usual time. */
  readonly quietMs?: number;
  /** Tells apart Events with the same reason and object. */
  readonly about?: string;
}

/** For a kind with one Event, which is always the same. */
export const on =
  (objects: KubernetesEvent['on'], reason: EventReason, more: Partial<KubernetesEvent> = {}) =>
  (): readonly KubernetesEvent[] => [{ on: objects, reason, ...more }];

export const always = (): boolean => true;
