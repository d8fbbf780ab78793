import { NODE_CLASS_NOT_FOUND } from '../../model/nodes/node-class.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { EventReason } from './event-reasons.ts';

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
/** For Events that tell why a node stays: the reason changes slowly. */
export const STAYING_NODE_QUIET_MS = 15 * MINUTE_MS;

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

export const toClaimSubject = ({ claim }: { readonly claim: string }): EventSubject => ({
  kind: 'NodeClaim',
  claim,
});

export const toPoolSubject = ({ pool }: { readonly pool: string }): EventSubject => ({
  kind: 'NodePool',
  pool,
});

/** Users look at the Node, tools at the NodeClaim. */
export const onClaimAndNode = (
  { claim }: { readonly claim: string },
  toEvents: (subject: EventSubject) => readonly UserEvent[],
): readonly UserEvent[] => [...toEvents({ kind: 'NodeClaim', claim }), ...toEvents({ kind: 'Node', claim })];

export const toNodeClassReason = (condition: string | undefined): EventReason =>
  condition === NODE_CLASS_NOT_FOUND ? NODE_CLASS_NOT_FOUND : 'NodeClassNotReady';
