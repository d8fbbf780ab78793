import { isDeepStrictEqual } from 'node:util';
import type { Node } from '../../model/nodes/node.ts';
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

/** The time of the last pod event is stored on the claim at most this often. */
const POD_EVENT_DELAY_MS = 10 * SECOND_MS;

/**
 * The hints that the admission webhook would send for the change, and those that only watches can
 * send: the webhook does not see every pod.
 *
 * @param findClaim - finds the NodeClaim of a Node by the Node's name
 */
export function toHintsOfChange(
  change: ClusterChange,
  at: EpochMs,
  findClaim: (node: string) => string | undefined = () => undefined,
): readonly DelayedHint[] {
  switch (change.kind) {
    case 'Pod':
      return [
        ...(isNewlyPending(change) ? [immediately({ topic: 'plan' })] : []),
        ...toPodEventHints(change, findClaim),
      ];
    case 'Node':
      return [...toNodeHints(change, at), ...(becameUsable(change) ? [DELAYED_PLAN] : [])];
    case 'NodeClaim':
      return toClaimHints(change);
    case 'EC2NodeClass':
      return [
        immediately({ topic: 'class' }),
        immediately({ topic: 'plan' }),
        immediately({ topic: 'disrupt' }),
      ];
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

function toPodEventHints(
  { before, after }: ChangeOf<'Pod'>,
  findClaim: (node: string) => string | undefined,
): readonly DelayedHint[] {
  const pod = after ?? before;
  if (pod?.nodeName === undefined || isDaemon(pod)) return [];
  if (after && !isPodEvent(before, after)) return [];
  const claim = findClaim(pod.nodeName);
  return claim === undefined
    ? []
    : [{ hint: { topic: 'claim', claim }, afterMs: POD_EVENT_DELAY_MS }];
}

function toNodeHints({ before, after }: ChangeOf<'Node'>, at: EpochMs): readonly DelayedHint[] {
  const providerId = after?.providerId ?? before?.providerId;
  if (providerId === undefined || (before && after && !isRelevantNodeChange(before, after)))
    return [];
  return [immediately({ topic: 'interruption', notice: { kind: 'state-change', providerId, at } })];
}

/** Changes by other writers: we write the status ourselves. */
function toClaimHints({ before, after }: ChangeOf<'NodeClaim'>): readonly DelayedHint[] {
  const claim = (after ?? before)?.name;
  if (claim === undefined) return [];
  const isSame =
    before?.deletionAt === after?.deletionAt &&
    isDeepStrictEqual(before?.annotations, after?.annotations);
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
