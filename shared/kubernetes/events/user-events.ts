import type { EventReason } from '../../model/explanations/event-reasons.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { MINUTE_MS } from '../../model/time.ts';

/**
 * The object of an Event: a pod, a NodeClaim, the Node of that claim, a NodePool or an EC2NodeClass.
 */
export type EventSubject =
  | { readonly kind: 'Pod'; readonly pod: PodKey }
  | { readonly kind: 'NodePool'; readonly pool: string }
  | { readonly kind: 'EC2NodeClass'; readonly nodeClass: string; readonly uid: string }
  | { readonly kind: 'NodeClaim' | 'Node'; readonly claim: string };

/** An Event for users, as `kubectl describe` and `kubectl get events` show it. */
export interface UserEvent {
  readonly reason: EventReason;
  readonly type: 'Normal' | 'Warning';
  readonly subject: EventSubject;
  readonly note: string;
  /**
   * An Event with the same reason and object is suppressed for this long. A warning whose note differs is written
   * once in this time.
   */
  readonly quietMs: number;
  /** Tells apart Events with the same reason and object; `undefined` if there is only one. */
  readonly about?: string;
}

const QUIET_MS = 2 * MINUTE_MS;

export const normal = (reason: EventReason, subject: EventSubject, note: string): UserEvent => ({
  reason,
  type: 'Normal',
  subject,
  note,
  quietMs: QUIET_MS,
});

export const warning = (reason: EventReason, subject: EventSubject, note: string): UserEvent => ({
  ...normal(reason, subject, note),
  type: 'Warning',
});

export const toPoolSubject = ({ pool }: { readonly pool: string }): EventSubject => ({
  kind: 'NodePool',
  pool,
});

/** Users look at the Node, tools at the NodeClaim. */
export const claimAndNode = (claim: string): readonly EventSubject[] => [
  { kind: 'NodeClaim', claim },
  { kind: 'Node', claim },
];
