import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../shared/model/requirements/taints.ts';
import { checkPlan } from './check-plan.ts';

/** Lists everything that is wrong with where a command moves the pods of the removed nodes. */
export function checkCommand(snapshot: ClusterSnapshot, command: DisruptionCommand): string[] {
  if (command.reason === 'Empty' || command.terminatesFirst || command.repair?.reboots) return [];
  const { replacements: claims, placements } = command;
  const hourlyUsd = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  return checkPlan(withoutCandidates(snapshot, command), {
    claims,
    placements,
    unplaced: [],
    hourlyUsd,
  });
}

/** The cluster in which only the pods of the candidates are unplaced. */
function withoutCandidates(
  snapshot: ClusterSnapshot,
  { candidates, placements, replacements }: DisruptionCommand,
): ClusterSnapshot {
  // Waiting pods that were planned onto a removed node are planned onto another node now.
  const placed = new Set([...placements, ...replacements].flatMap(({ pods }) => pods));
  const claims = snapshot.claims.filter(({ name }) => candidates.includes(name));
  const going = new Set(claims.map(({ nodeName }) => nodeName));
  const leaving = new Set(
    snapshot.claims.filter(({ deletingAt }) => deletingAt !== undefined).map(({ nodeName }) => nodeName),
  );
  // Pods of nodes that are removed for another reason are not part of this command.
  const resolved = new Set(
    snapshot.nodes
      .filter((node) => going.has(node.name) || !(leaving.has(node.name) || isLeaving(node)))
      .map(({ name }) => name),
  );
  return {
    ...snapshot,
    pods: snapshot.pods.filter((pod) => resolved.has(pod.nodeName ?? '') || placed.has(podKey(pod))),
    nodes: snapshot.nodes.map((node) => (going.has(node.name) ? { ...node, deletionAt: snapshot.takenAt } : node)),
    claims: snapshot.claims.map((claim) =>
      candidates.includes(claim.name) ? { ...claim, deletingAt: snapshot.takenAt } : claim,
    ),
  };
}

const isLeaving = ({ deletionAt, taints }: Node): boolean =>
  deletionAt !== undefined || taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));
