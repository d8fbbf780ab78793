import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { isManagedNode } from '../../shared/model/nodes/node.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { RestoredWorkloads } from '../../shared/simulation/restore/restore-workloads.ts';
import { fail } from '../errors.ts';
import { counted } from '../render/numbers.ts';

/**
 * Refuses a snapshot from which no simulation can continue.
 *
 * @throws CliError - `not-found`: NodePools or NodeClaims are missing; `missing-reference`: the types
 *   of a NodePool are
 */
export function refuseGaps(snapshot: ClusterSnapshot, file: string): void {
  const { pools, nodes, claims, instanceTypes } = snapshot;
  if (pools.length === 0) {
    throw fail({
      code: 'not-found',
      what: 'the snapshot has no NodePool, so nothing could be launched',
      where: file,
      fix: '-f with a NodePool, or a snapshot of a cluster that has one',
    });
  }
  const priced = pools.filter(({ name }) => (ownValue(instanceTypes, name) ?? []).length > 0);
  const unpriced = pools.find((pool) => !priced.includes(pool));
  if (unpriced) {
    const classes = [...new Set(priced.map(({ nodeClass }) => nodeClass.name))];
    throw fail({
      code: 'missing-reference',
      what: `the snapshot has no instance types for EC2NodeClass ${unpriced.nodeClass.name}`,
      where: `${file}, NodePool ${unpriced.name}, spec.template.spec.nodeClassRef`,
      why: 'types and prices come from the snapshot, for the NodeClasses that were ready then',
      fix:
        classes.length > 0
          ? `a NodeClass that it has: ${classes.join(', ')}`
          : 'take a snapshot when the NodeClass is Ready',
    });
  }
  const claimed = new Set(claims.map(({ nodeName }) => nodeName));
  const orphan = nodes.find((node) => isManagedNode(node) && !claimed.has(node.name));
  if (!orphan) return;
  throw fail({
    code: 'not-found',
    what: `the snapshot has no NodeClaim of node ${orphan.name}`,
    where: file,
    why: 'its price and its NodePool are unknown without it',
    fix: 'take a snapshot when the node has its NodeClaim',
  });
}

/** Lists what the snapshot lacks, and what is assumed instead. */
export function listSnapshotGaps(
  snapshot: ClusterSnapshot,
  { otherOwners, hasJobs }: Pick<RestoredWorkloads, 'otherOwners' | 'hasJobs'>,
): readonly string[] {
  const { nodes, claims, offerings, devices, unreadable = [] } = snapshot;
  const foreign = nodes.filter((node) => !isManagedNode(node)).length;
  const starting = claims.filter(({ launch }) => !launch).length;
  const reserved = offerings.some(({ capacityType }) => capacityType === 'reserved');
  return [
    ...unreadable.map(({ kind, name, why }) => `${kind} ${name} is missing: ${why}`),
    ...(foreign > 0
      ? [
          foreign === 1
            ? '1 node belongs to no NodePool: it stays, and its cost is not counted'
            : `${foreign} nodes belong to no NodePool: they stay, and their cost is not counted`,
        ]
      : []),
    ...(starting > 0 ? [`${counted(starting, 'NodeClaim')} without an instance: the pods are planned again`] : []),
    ...(hasJobs ? ['a snapshot does not say when a Job ends: their pods run to the end'] : []),
    ...(otherOwners.length > 0 ? [`pods of ${otherOwners.join(', ')} are not replaced when they are evicted`] : []),
    ...(reserved ? ['reserved capacity is not simulated: no new node uses it'] : []),
    ...(devices ? ['devices are not simulated: pods with device claims are not planned'] : []),
  ];
}
