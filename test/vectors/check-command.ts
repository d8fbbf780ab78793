import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pod.ts';
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
  const settled = new Set(
    snapshot.nodes
      .filter(({ deletionAt, name }) => deletionAt === undefined || going.has(name))
      .map(({ name }) => name),
  );
  return {
    ...snapshot,
    pods: snapshot.pods.filter((pod) =>
      pod.nodeName === undefined ? placed.has(podKey(pod)) : settled.has(pod.nodeName),
    ),
    nodes: snapshot.nodes.map((node) =>
      going.has(node.name) ? { ...node, deletionAt: snapshot.takenAt } : node,
    ),
    claims: snapshot.claims.map((claim) =>
      candidates.includes(claim.name) ? { ...claim, deletingAt: snapshot.takenAt } : claim,
    ),
  };
}
