import type { ClusterEvent } from '../model/explanations/events.ts';
import type { Node, NodeIdentity } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * A change of a Node. Labels and annotations are merged, lists are replaced, and omitted fields
 * stay.
 */
export type NodeEdit = Partial<Pick<Node, 'labels' | 'annotations' | 'taints' | 'finalizers'>> & {
  readonly withoutLabels?: readonly string[];
};

/**
 * The effects of a step, in execution order. Each is idempotent; all are performed before the
 * step's claim is stored.
 */
export type Effect =
  | { readonly kind: 'launch' }
  /** Writes the missing NodeClaim object again. */
  | { readonly kind: 'show' }
  | { readonly kind: 'change-node'; readonly node: Node; readonly change: NodeEdit }
  | { readonly kind: 'delete-node'; readonly node: NodeIdentity }
  | { readonly kind: 'evict'; readonly pod: Pod }
  /** Restarts the Deployment of a pod that cannot be evicted. */
  | { readonly kind: 'restart-owner'; readonly pod: Pod }
  | { readonly kind: 'delete-pod'; readonly pod: Pod; readonly gracePeriodMs: number }
  | { readonly kind: 'terminate-instance'; readonly providerId: string }
  | { readonly kind: 'reboot-instance'; readonly providerId: string }
  /** Removes the NodeClaim object from the cluster. */
  | { readonly kind: 'finish' };

/** One step of a claim: effects to perform, the resulting claim, and the next wake-up. */
export interface Step {
  /** The input claim itself if the step changed nothing. */
  readonly claim: NodeClaim;
  readonly effects: readonly Effect[];
  readonly events: readonly ClusterEvent[];
  /** `undefined` if only a change of the observed state triggers the next step. */
  readonly wakeAt?: EpochMs;
  /** Set if the instance has to end at this time exactly, no earlier and no later. */
  readonly deadlineAt?: EpochMs;
}

/** A step without effects. */
export const waitStep = (claim: NodeClaim): Step => ({ claim, effects: [], events: [] });
