import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { formatReason } from '../../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import {
  blocksByAnnotation,
  findDoNotDisruptEnd,
  isEvictable,
  isFullyBlocking,
  listMatchingBudgets,
} from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { mayBeRestarted } from '../../model/pods/restarts.ts';
import { findBlockingBudget } from '../obstacles.ts';

/** A node of a rollout that stays until a user changes something. */
export interface BlockedNode {
  readonly claim: string;
  readonly why: string;
}

/** Without pods and budgets no node counts as blocked. */
export type BlockFacts = Pick<ClusterSnapshot, 'takenAt'> &
  Partial<Pick<ClusterSnapshot, 'nodes' | 'pods' | 'podDisruptionBudgets'>>;

/**
 * Finds the nodes that drift cannot replace until a budget or an annotation is changed. A budget that
 * allows none only for now blocks no rollout.
 */
export function findBlockedNodes(claims: readonly NodeClaim[], facts: BlockFacts): readonly BlockedNode[] {
  const byNode = Map.groupBy(facts.pods ?? [], ({ nodeName }) => nodeName);
  return claims.flatMap((claim) => {
    const pods = claim.nodeName === undefined ? [] : (byNode.get(claim.nodeName) ?? []);
    const why = findWhyBlocked(claim, pods, facts);
    return why === undefined ? [] : [{ claim: claim.name, why }];
  });
}

function findWhyBlocked(
  claim: NodeClaim,
  pods: readonly Pod[],
  { nodes = [], podDisruptionBudgets = [], takenAt }: BlockFacts,
): string | undefined {
  if (claim.deletingAt !== undefined) {
    return claim.drainDeadline === undefined ? claim.blockedDrain?.text : undefined;
  }
  const node = nodes.find(({ name }) => name === claim.nodeName);
  if (claim.keptByHand || node?.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true') {
    return formatProtection('the node');
  }
  // With a terminationGracePeriod, drift replaces nodes whatever their pods say.
  if (claim.terminationGracePeriodMs !== undefined) return undefined;
  const kept = pods.find((pod) => blocksByAnnotation(pod, takenAt) && findDoNotDisruptEnd(pod) === Infinity);
  if (kept) return formatProtection(`pod ${podKey(kept)}`);
  for (const pod of pods) {
    const [budget, second] = listMatchingBudgets(pod, podDisruptionBudgets);
    if (!budget || !(second || isFullyBlocking(budget))) continue;
    if (mayBeRestarted(pod) || !isEvictable(pod, takenAt)) continue;
    const reason = findBlockingBudget(pod, podDisruptionBudgets);
    if (reason) return formatReason(reason);
  }
  return undefined;
}

const formatProtection = (object: string): string =>
  formatReason({
    code: 'blocked-by-do-not-disrupt',
    fields: { object, until: 'it is removed' },
  });
