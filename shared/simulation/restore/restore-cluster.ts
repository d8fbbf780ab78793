import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Workload } from '../../model/pods/workload.ts';
import { putPod, workloadKey } from '../control-plane/api-server.ts';
import type { OpenWorld } from '../create-world.ts';

/** A cluster as it was at one moment. */
export interface ClusterState {
  readonly snapshot: ClusterSnapshot;
  readonly workloads: readonly Workload[];
  readonly pods: readonly Pod[];
  /** Commands in progress. */
  readonly running: readonly DisruptionCommand[];
}

/**
 * Puts the instances, claims, nodes and pods of a snapshot into a world in which nothing has
 * happened yet. Claims without an instance are left out: their pods are planned again.
 */
export async function restoreCluster(world: OpenWorld, state: ClusterState): Promise<void> {
  const { snapshot, workloads, pods, running } = state;
  const claims = snapshot.claims.filter(({ launch }) => launch !== undefined);
  for (const claim of claims) await restoreClaim(world, claim);
  for (const node of snapshot.nodes) world.api.nodes.put(node.name, node);
  // Pods first: a workload without its pods would create them again.
  for (const pod of pods) putPod(world.api.pods, pod);
  for (const workload of workloads) world.api.workloads.put(workloadKey(workload), workload);
  await restoreRecords(world, snapshot, running);
}

async function restoreClaim(world: OpenWorld, claim: NodeClaim): Promise<void> {
  const { instances, api, ec2, world: running } = world;
  const { launch } = claim;
  if (!launch) return;
  const { providerId } = launch;
  const instance = { providerId, claim, launch, launchId: claim.launchId ?? claim.decision };
  // A Node appears some time after a pending instance, and exists already for a running one.
  if (claim.nodeName === undefined) instances.put(providerId, { ...instance, state: 'pending' });
  instances.put(providerId, { ...instance, state: 'running' });
  if (claim.terminatingAt !== undefined) ec2.reclaim(providerId);
  api.nodeClaims.put(claim.name, claim);
  await running.ports.nodeClaims.save(claim, 0);
}

/** Restores what the controllers had noted. */
async function restoreRecords(
  { world: { ports } }: OpenWorld,
  { takenAt, claims, nominations, unavailable }: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Promise<void> {
  for (const [name, until] of Object.entries(nominations)) {
    if (until > takenAt) await ports.nominations.nominate([name], until);
  }
  await ports.unavailableOfferings.mark(
    unavailable.map(({ until: _, ...part }) => part),
    takenAt,
  );
  const launched = new Set(claims.flatMap(({ name, launch }) => (launch ? [name] : [])));
  for (const command of running) {
    const isComplete = command.replacements.every(({ claim }) => launched.has(claim.name));
    if (isComplete) await ports.commands.add(command);
  }
}
