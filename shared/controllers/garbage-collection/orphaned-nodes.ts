import { EC2_SHOWS_AFTER_MS } from '../../lifecycle/instance-absence.ts';
import { hasTerminationFinalizer, removeTerminationFinalizer } from '../../lifecycle/node-edits.ts';
import { forEachConcurrently } from '../../model/concurrency.ts';
import { hasAutoscalerLabels, isManagedNode, type Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { writeUnlessStale } from '../support/claim-writes.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';

/**
 * Removes our finalizer from Nodes that are being deleted and that no claim will release: those of
 * our NodePools, or without the labels that tell their owner, that have no record, that are not ready,
 * and whose instance EC2 confirms to be gone. A Node whose instance exists is left to its owner, or to
 * its claim once it is adopted, which drains it first.
 */
export async function releaseOrphanedNodes(
  ports: PortsOf<'sweep'>,
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const accounted = new Set([
    ...claims.map(({ launch }) => launch?.providerId),
    ...instances.map(({ providerId }) => providerId),
  ]);
  // EC2's answers about a shifted zone may be wrong.
  const isWithinReach = await createReachabilityCheck(ports);
  const orphans = nodes.filter(
    (node) =>
      (isManagedNode(node) || !hasAutoscalerLabels(node)) &&
      node.deletionAt !== undefined &&
      !node.ready &&
      hasTerminationFinalizer(node) &&
      !accounted.has(node.providerId) &&
      isWithinReach(node.providerId),
  );
  await forEachConcurrently(orphans, (node) => releaseIfInstanceIsGone(ports, node));
}

async function releaseIfInstanceIsGone({ cloud, cluster, clock }: PortsOf<'sweep'>, node: Node): Promise<void> {
  // Without a provider id EC2 cannot be asked.
  if (node.providerId === undefined) return;
  const instance = await cloud.instance(node.providerId);
  if (!isConfirmedGone(node, instance, clock.now())) return;
  await writeUnlessStale(() => cluster.changeNode(node, { finalizers: removeTerminationFinalizer(node) }));
}

const isConfirmedGone = (node: Node, instance: Instance | undefined, now: EpochMs): boolean =>
  instance ? instance.state === 'terminated' : now >= node.createdAt + EC2_SHOWS_AFTER_MS;
