import { isDeepStrictEqual } from 'node:util';
import type { Node } from '../../model/nodes/node.ts';
import { MIN_POD_EVENT_INTERVAL_MS } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Hint } from '../../ports/work-queue.ts';
import { isPodEvent } from './pod-event-times.ts';

/** The change of one object: `before` is undefined if it was added, `after` if it was deleted. */
export type ClusterChange =
  | { readonly kind: 'Pod'; readonly before?: Pod; readonly after?: Pod }
  | { readonly kind: 'Node'; readonly before?: Node; readonly after?: Node }
  | {
      readonly kind: 'NodeClaim';
      readonly before?: NodeClaimObject;
      readonly after?: NodeClaimObject;
    }
  | {
      readonly kind: 'NodePool' | 'EC2NodeClass' | 'NodeOverlay' | 'CapacityBuffer';
      readonly name: string;
    };

type FindClaim = (node: string) => NodeClaimObject | undefined;

/** A hint, and how long the queue delays it. */
export interface DelayedHint {
  readonly hint: Hint;
  readonly afterMs: number;
}

/**
 * By then kube-scheduler has bound waiting pods to the new node, and the planner plans only for the
 * rest.
 */
const PLAN_DELAY_MS = 5 * SECOND_MS;

/**
 * The hints that the admission webhook would send for the change, and those that only watches can
 * send: the webhook does not see every pod.
 *
 * @param findClaim - finds the NodeClaim of a Node by the Node's name
 */
export function toHintsOfChange(
  change: ClusterChange,
  at: EpochMs,
  findClaim: FindClaim = () => undefined,
): readonly DelayedHint[] {
  switch (change.kind) {
    case 'Pod':
      return [
        ...(isNewlyPending(change) ? [immediately({ topic: 'plan' })] : []),
        ...toPodEventHints(change, at, findClaim),
      ];
    case 'Node':
      return [...toNodeHints(change, at), ...(becameUsable(change) ? [DELAYED_PLAN] : [])];
    case 'NodeClaim':
      return toClaimHints(change);
    case 'EC2NodeClass':
      return [immediately({ topic: 'class' }), immediately({ topic: 'plan' }), immediately({ topic: 'disrupt' })];
    case 'NodePool':
    case 'NodeOverlay':
    case 'CapacityBuffer':
      return [immediately({ topic: 'plan' }), immediately({ topic: 'disrupt' })];
  }
}

const immediately = (hint: Hint): DelayedHint => ({ hint, afterMs: 0 });

const DELAYED_PLAN: DelayedHint = { hint: { topic: 'plan' }, afterMs: PLAN_DELAY_MS };

type ChangeOf<Kind extends ClusterChange['kind']> = Extract<ClusterChange, { kind: Kind }>;

const isNewlyPending = ({ before, after }: ChangeOf<'Pod'>): boolean =>
  after !== undefined && isProvisionable(after) && !(before && isProvisionable(before));

/**
 * The claim stores the time of the event: at once, or when the interval since the stored one has
 * passed.
 */
function toPodEventHints(
  { before, after }: ChangeOf<'Pod'>,
  at: EpochMs,
  findClaim: FindClaim,
): readonly DelayedHint[] {
  const pod = after ?? before;
  if (pod?.nodeName === undefined || isDaemon(pod)) return [];
  if (after && !isPodEvent(before, after)) return [];
  const claim = findClaim(pod.nodeName);
  if (claim === undefined) return [];
  const { name, lastPodEventAt = Number.NEGATIVE_INFINITY } = claim;
  const afterMs = Math.max(0, lastPodEventAt + MIN_POD_EVENT_INTERVAL_MS - at);
  return [{ hint: { topic: 'claim', claim: name }, afterMs }];
}

function toNodeHints({ before, after }: ChangeOf<'Node'>, at: EpochMs): readonly DelayedHint[] {
  const providerId = after?.providerId ?? before?.providerId;
  if (providerId === undefined || (before && after && !isRelevantNodeChange(before, after))) return [];
  return [immediately({ topic: 'interruption', notice: { kind: 'state-change', providerId, at } })];
}

/** Changes by other writers: we write the status ourselves. */
function toClaimHints({ before, after }: ChangeOf<'NodeClaim'>): readonly DelayedHint[] {
  const claim = (after ?? before)?.name;
  if (claim === undefined) return [];
  const isSame = before?.deletionAt === after?.deletionAt && isDeepStrictEqual(before?.annotations, after?.annotations);
  return before && after && isSame ? [] : [immediately({ topic: 'claim', claim })];
}

/** Ignores heartbeats, and labels and taints that we write ourselves. */
const isRelevantNodeChange = (before: Node, after: Node): boolean =>
  before.ready !== after.ready ||
  before.deletionAt !== after.deletionAt ||
  before.providerId !== after.providerId ||
  after.taints.length < before.taints.length;

/**
 * The node became usable. kube-scheduler does not report FailedScheduling again for pods that it
 * reported before, so a plan is needed.
 */
const becameUsable = ({ before, after }: ChangeOf<'Node'>): boolean =>
  before !== undefined && after?.ready === true && after.taints.length < before.taints.length;
