import { isDeepStrictEqual } from 'node:util';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Hint } from '../../ports/work-queue.ts';

/** What happened to one object; `before` absent: added, `after` absent: gone. */
export type ClusterChange =
  | { readonly kind: 'Pod'; readonly before?: Pod; readonly after?: Pod }
  | { readonly kind: 'Node'; readonly before?: Node; readonly after?: Node }
  | {
      readonly kind: 'NodeClaim';
      readonly before?: NodeClaimObject;
      readonly after?: NodeClaimObject;
    }
  | { readonly kind: 'NodePool' | 'EC2NodeClass'; readonly name: string };

/** A hint, and how long it had better wait. */
export interface TimedHint {
  readonly hint: Hint;
  readonly afterMs: number;
}

/** By then a node that opened has taken what waited for it, and only the rest is planned anew. */
const AFTER_OPENING_MS = 5 * SECOND_MS;

/** The hints that an admission webhook would have sent for the change. */
export function hintsOfChange(change: ClusterChange, at: EpochMs): readonly TimedHint[] {
  switch (change.kind) {
    case 'Pod':
      return isNewlyPending(change) ? [now({ topic: 'plan' })] : [];
    case 'Node':
      return [...nodeHints(change, at), ...(opens(change) ? [PLAN_AFTER_OPENING] : [])];
    case 'NodeClaim':
      return claimHints(change);
    case 'EC2NodeClass':
      return [now({ topic: 'class' }), now({ topic: 'plan' }), now({ topic: 'disrupt' })];
    case 'NodePool':
      return [now({ topic: 'plan' }), now({ topic: 'disrupt' })];
  }
}

const now = (hint: Hint): TimedHint => ({ hint, afterMs: 0 });

const PLAN_AFTER_OPENING: TimedHint = { hint: { topic: 'plan' }, afterMs: AFTER_OPENING_MS };

type ChangeOf<Kind extends ClusterChange['kind']> = Extract<ClusterChange, { kind: Kind }>;

const isNewlyPending = ({ before, after }: ChangeOf<'Pod'>): boolean =>
  after !== undefined && isProvisionable(after) && !(before && isProvisionable(before));

function nodeHints({ before, after }: ChangeOf<'Node'>, at: EpochMs): readonly TimedHint[] {
  const providerId = after?.providerId ?? before?.providerId;
  if (providerId === undefined || (before && after && !matters(before, after))) return [];
  return [now({ topic: 'interruption', notice: { kind: 'state-change', providerId, at } })];
}

/** What others do to it: its status is our own writing. */
function claimHints({ before, after }: ChangeOf<'NodeClaim'>): readonly TimedHint[] {
  const claim = (after ?? before)?.name;
  if (claim === undefined) return [];
  const isSame =
    before?.deletionAt === after?.deletionAt &&
    isDeepStrictEqual(before?.annotations, after?.annotations);
  return before && after && isSame ? [] : [now({ topic: 'claim', claim })];
}

/** Not heartbeats, nor labels and taints that we write ourselves. */
const matters = (before: Node, after: Node): boolean =>
  before.ready !== after.ready ||
  before.deletionAt !== after.deletionAt ||
  before.providerId !== after.providerId ||
  after.taints.length < before.taints.length;

/** The scheduler does not say of a pod again that it has no place: it said so before. */
const opens = ({ before, after }: ChangeOf<'Node'>): boolean =>
  before !== undefined && after?.ready === true && after.taints.length < before.taints.length;
