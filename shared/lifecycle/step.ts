import type { ClusterEvent } from '../model/explanations/events.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * What to change on a Node. Labels and annotations are laid over those it has, a list is the whole
 * list, and what is not named stays.
 */
export type NodeEdit = Partial<Pick<Node, 'labels' | 'annotations' | 'taints' | 'finalizers'>>;

/**
 * What the state machine wants done, in this order. Each may be done twice without harm; all of
 * them are done before the claim that comes with them is stored.
 */
export type Effect =
  | { readonly kind: 'launch' }
  /** Writes the claim's projection again, where it vanished. */
  | { readonly kind: 'show' }
  | { readonly kind: 'change-node'; readonly node: Node; readonly change: NodeEdit }
  | { readonly kind: 'delete-node'; readonly node: string }
  | { readonly kind: 'evict'; readonly pod: Pod }
  | { readonly kind: 'delete-pod'; readonly pod: Pod; readonly gracePeriodMs: number }
  | { readonly kind: 'terminate-instance'; readonly providerId: string }
  /** Takes the claim's projection out of the cluster: nothing is left to wait for. */
  | { readonly kind: 'finish' };

/** One step of a claim: what to do, what is then true, and when to look again. */
export interface Step {
  /** The very claim that came in, if it got no further. */
  readonly claim: NodeClaim;
  readonly effects: readonly Effect[];
  readonly events: readonly ClusterEvent[];
  /** Absent: only a change of what was observed brings it on. */
  readonly wakeAt?: EpochMs;
}

/** Nothing to do but to wait. */
export const waitStep = (claim: NodeClaim): Step => ({ claim, effects: [], events: [] });
