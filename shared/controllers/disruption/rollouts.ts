import { listCurrentVersions, versionOfLaunch } from '../../disruption/rollout/image-version.ts';
import { hasInitializedNode } from '../../disruption/rollout/rollout-guard.ts';
import {
  computeVersionHealth,
  computeVersionStatus,
  type NotReadyNode,
  type VersionHealth,
} from '../../disruption/rollout/version-health.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { formatShortDuration } from '../../model/duration.ts';
import type { NodeClassState, StoppedRollout } from '../../model/nodes/drift.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';

type RolloutPorts = Pick<Ports<'class'>, 'rollouts' | 'decisionLog' | 'queue'>;

/** Longer than a kubelet restart or a short network failure. */
const LOST_FOR_MS = 5 * MINUTE_MS;

/**
 * Stops a rollout whose nodes were ready and no longer are, and resumes one whose nodes prove that
 * it works. Both are recorded and shown in the status of the class.
 */
export async function reconcileRollouts(ports: RolloutPorts, snapshot: ClusterSnapshot): Promise<void> {
  const { nodeClasses = [], claims, nodes } = snapshot;
  for (const nodeClass of nodeClasses) {
    const healthOf = computeVersionHealth(nodeClass, claims, nodes);
    for (const version of listCurrentVersions(nodeClass)) {
      await reconcileVersion(ports, snapshot, { nodeClass, version, health: healthOf(version) });
    }
  }
}

interface Rollout {
  readonly nodeClass: NodeClassState;
  readonly version: string;
  readonly health: VersionHealth;
}

async function reconcileVersion(ports: RolloutPorts, snapshot: ClusterSnapshot, rollout: Rollout): Promise<void> {
  const { nodeClass, version, health } = rollout;
  const { takenAt } = snapshot;
  const isStopped = nodeClass.stopped?.version === version;
  if (isStopped && computeVersionStatus(health) === 'healthy') return resumeRollout(ports, rollout, takenAt);
  if (isStopped || !hasDriftedNodes(rollout, snapshot)) return;

  const longLost = health.lost.filter(({ node }) => takenAt - findLostSince(node, takenAt) >= LOST_FOR_MS);
  if (computeVersionStatus({ ...health, lost: longLost }) === 'unhealthy')
    await stopForLostNodes(ports, rollout, longLost, takenAt);
}

/** True while nodes of the class wait to be replaced by the current version. */
const hasDriftedNodes = ({ nodeClass, version }: Rollout, { claims }: ClusterSnapshot): boolean =>
  claims.some(
    ({ drift, launch, nodeClass: { name } }) =>
      name === nodeClass.name && drift !== undefined && launch !== undefined && versionOfLaunch(launch) !== version,
  );

/** A node without a recorded condition counts as lost just now. */
const findLostSince = ({ troubles = [] }: NotReadyNode['node'], now: EpochMs): EpochMs =>
  troubles.find(({ condition }) => condition === 'Ready')?.since ?? now;

async function stopForLostNodes(
  ports: RolloutPorts,
  { nodeClass: { name: nodeClass }, version, health }: Rollout,
  lost: readonly NotReadyNode[],
  at: EpochMs,
): Promise<void> {
  const [first] = lost;
  if (!first) return;
  const count = health.ready.length + health.lost.length;
  const since = formatShortDuration(at - findLostSince(first.node, at));
  const why = `${lost.length} of ${count} nodes of it were ready and are not, ${first.claim.name} for ${since}`;
  await stopRollout(ports, { nodeClass, version, claim: first.claim.name, why, at });
}

async function resumeRollout(
  { rollouts, decisionLog, queue }: RolloutPorts,
  { nodeClass: { name: nodeClass }, health: { ready } }: Rollout,
  at: EpochMs,
): Promise<void> {
  await rollouts.resume(nodeClass);
  const claim = ready[0]?.name ?? '';
  await decisionLog.recordEvent({ kind: 'rollout-resumed', at, nodeClass, claim });
  await queue.send({ topic: 'class' });
}

type StartPorts = RolloutPorts & Pick<Ports, 'nodeClaims' | 'clock'>;

/**
 * Stops the rollout of a version if one of its nodes did not become ready and no node with it ever
 * has. No further node is then replaced by that version.
 */
export async function recordFailedStart(
  ports: StartPorts,
  { name, launch, nodeClass: { name: nodeClass } }: NodeClaim,
  why: string,
): Promise<void> {
  const version = launch && versionOfLaunch(launch);
  if (version === undefined) return;
  const claims = (await ports.nodeClaims.list({ isEventual: true })).records.map(({ claim }) => claim);
  if (hasInitializedNode(version, { name: nodeClass }, claims)) return;
  const stopped = (await ports.rollouts.list()).find((one) => one.nodeClass === nodeClass);
  if (stopped?.version === version) return;

  const at = ports.clock.now();
  await stopRollout(ports, { nodeClass, version, claim: name, why, at });
}

/** Records the stop, reports it, and requests the class's status to be updated. */
async function stopRollout({ rollouts, decisionLog, queue }: RolloutPorts, stopped: StoppedRollout): Promise<void> {
  await rollouts.stop(stopped);
  const { nodeClass, claim, why, at } = stopped;
  await decisionLog.recordEvent({ kind: 'rollout-stopped', at, nodeClass, claim, why });
  await queue.send({ topic: 'class' });
}
