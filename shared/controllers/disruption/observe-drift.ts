import { classMarks } from '../../api/drift.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClassState, StoppedRollout } from '../../model/drift.ts';
import type { ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { Ports } from '../../ports/ports.ts';

type Sources = Pick<Ports, 'nodeClasses' | 'rollouts' | 'driftBackoffs'>;

/** The snapshot with what nodes are held against, and what became of the last that were replaced. */
export async function withDriftFacts(
  { nodeClasses, rollouts, driftBackoffs }: Sources,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const [classes, stopped, backoffs] = await Promise.all([
    nodeClasses.list(),
    rollouts.list(),
    driftBackoffs.list(),
  ]);
  return {
    ...snapshot,
    nodeClasses: classes.flatMap((resolved) => stateOfClass(resolved, stopped) ?? []),
    driftRests: Object.fromEntries(backoffs.map(({ pool, until }) => [pool, until])),
  };
}

/** Absent: this release cannot say what its nodes are made by. */
export function stateOfClass(
  resolved: ResolvedNodeClass,
  stopped: readonly StoppedRollout[],
): NodeClassState | undefined {
  const { name, subnets, securityGroups, images, reservations, placementGroup } = resolved;
  const marks = classMarks(name, resolved.written, resolved.cluster.certificateAuthority);
  if (!marks) return undefined;
  const own = stopped.find(({ nodeClass }) => nodeClass === name);
  return {
    name,
    hash: marks.hash,
    subnets,
    securityGroups,
    images,
    ...(reservations && { reservations }),
    ...(placementGroup && { placementGroup }),
    ...(own && { stopped: own }),
  };
}
