import { POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import type { Pod } from '../model/pod.ts';

/**
 * The order in which a ReplicaSet gives up pods: waiting before running, cheap to delete before
 * dear, crowded nodes before others, young before old.
 *
 * @see kubernetes, controller_utils.go `ActivePodsWithRanks`
 */
export function firstToGo(pods: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string | undefined, number>();
  for (const { nodeName } of pods) perNode.set(nodeName, (perNode.get(nodeName) ?? 0) + 1);
  const crowd = ({ nodeName }: Pod): number => perNode.get(nodeName) ?? 0;

  return pods.toSorted(
    (a, b) =>
      rank(a.nodeName !== undefined) - rank(b.nodeName !== undefined) ||
      rank(a.phase === 'Running') - rank(b.phase === 'Running') ||
      rank(a.ready) - rank(b.ready) ||
      deletionCost(a) - deletionCost(b) ||
      crowd(b) - crowd(a) ||
      b.createdAt - a.createdAt ||
      (a.name < b.name ? -1 : 1),
  );
}

const rank = (holds: boolean): number => (holds ? 1 : 0);

const deletionCost = ({ annotations }: Pod): number => {
  const cost = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
};
