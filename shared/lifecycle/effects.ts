import type { Node } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';

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
