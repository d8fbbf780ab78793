import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { carryOut } from '../scheduling/support/provision.ts';

/** The cluster after commands; unowned pods of empty nodes end with them. */
export function applyCommands(snapshot: ClusterSnapshot, commands: readonly DisruptionCommand[]): ClusterSnapshot {
  const candidates = new Set(commands.flatMap((command) => command.candidates));
  const replacements = commands.flatMap((command) => command.replacements);
  const placements = commands.flatMap((command) => command.placements);
  const removedNodes = new Set(
    snapshot.claims.filter(({ name }) => candidates.has(name)).map(({ nodeName }) => nodeName),
  );
  const movedPods = new Set([...replacements, ...placements].flatMap(({ pods }) => pods));
  const rest: ClusterSnapshot = {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ name }) => !removedNodes.has(name)),
    claims: snapshot.claims.filter(({ name }) => !candidates.has(name)),
    pods: snapshot.pods.filter((pod) => !removedNodes.has(pod.nodeName) || movedPods.has(podKey(pod))),
  };
  return carryOut(rest, { claims: replacements, placements, unplaced: [], hourlyUsd: 0 });
}
