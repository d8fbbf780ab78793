import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../shared/model/requirements/taints.ts';
import { checkPlan } from './check-plan.ts';

/**
 * Everything that is wrong with where a command sends the pods of the nodes that it removes. An
 * empty node has none that must be somewhere else.
 */
export function checkCommand(snapshot: ClusterSnapshot, command: DisruptionCommand): string[] {
  if (command.reason === 'Empty') return [];
  const { replacements: claims, placements } = command;
  const hourlyUsd = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  return checkPlan(withoutCandidates(snapshot, command), {
    claims,
    placements,
    unplaced: [],
    hourlyUsd,
  });
}

/** The cluster in which only the pods of the candidates look for a place. */
function withoutCandidates(
  snapshot: ClusterSnapshot,
  { candidates, placements, replacements }: DisruptionCommand,
): ClusterSnapshot {
  // Pods that wait for a node that goes have their place elsewhere now.
  const placed = new Set([...placements, ...replacements].flatMap(({ pods }) => pods));
  const claims = snapshot.claims.filter(({ name }) => candidates.includes(name));
  const going = new Set(claims.map(({ nodeName }) => nodeName));
  const leaving = new Set(
    snapshot.claims
      .filter(({ deletingAt }) => deletingAt !== undefined)
      .map(({ nodeName }) => nodeName),
  );
  // Pods of nodes that are leaving for another cause are somebody else's to place.
  const settled = new Set(
    snapshot.nodes
      .filter((node) => going.has(node.name) || !(leaving.has(node.name) || isLeaving(node)))
      .map(({ name }) => name),
  );
  return {
    ...snapshot,
    pods: snapshot.pods.filter((pod) => settled.has(pod.nodeName ?? '') || placed.has(podKey(pod))),
    nodes: snapshot.nodes.map((node) =>
      going.has(node.name) ? { ...node, deletionAt: snapshot.takenAt } : node,
    ),
    claims: snapshot.claims.map((claim) =>
      candidates.includes(claim.name) ? { ...claim, deletingAt: snapshot.takenAt } : claim,
    ),
  };
}

const isLeaving = ({ deletionAt, taints }: Node): boolean =>
  deletionAt !== undefined || taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));
