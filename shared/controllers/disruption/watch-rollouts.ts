import { currentVersions, launchedVersion } from '../../disruption/image-version.ts';
import {
  healthOfVersions,
  type LostNode,
  trustIn,
  type VersionHealth,
} from '../../disruption/rollout-trust.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClassState } from '../../model/drift.ts';
import { formatShortDuration } from '../../model/duration.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { stopRollout } from './rollouts.ts';

type Parts = Pick<Ports, 'rollouts' | 'journal' | 'queue'>;

/** A kubelet that starts anew, or a network that blinks, is back by then. */
const LOST_FOR_MS = 5 * MINUTE_MS;

/**
 * Stops a rollout whose nodes were ready and are not any more, as if they had never been, and has one
 * go on that nodes show to work. Both are on record and in the class's status, whoever asks.
 */
export async function watchRollouts(ports: Parts, snapshot: ClusterSnapshot): Promise<void> {
  const { nodeClasses = [], claims, nodes } = snapshot;
  for (const nodeClass of nodeClasses) {
    const healthOf = healthOfVersions(nodeClass, claims, nodes);
    for (const version of currentVersions(nodeClass)) {
      await watchVersion(ports, snapshot, { nodeClass, version, health: healthOf(version) });
    }
  }
}

interface Rollout {
  readonly nodeClass: NodeClassState;
  readonly version: string;
  readonly health: VersionHealth;
}

async function watchVersion(
  ports: Parts,
  snapshot: ClusterSnapshot,
  rollout: Rollout,
): Promise<void> {
  const { nodeClass, version, health } = rollout;
  const { takenAt } = snapshot;
  const isStopped = nodeClass.stopped?.version === version;
  if (isStopped && trustIn(health) === 'trusted') return resume(ports, rollout, takenAt);
  if (isStopped || !isUnderWay(rollout, snapshot)) return;

  const gone = health.lost.filter(({ node }) => takenAt - lostSince(node, takenAt) >= LOST_FOR_MS);
  if (trustIn({ ...health, lost: gone }) === 'shaken') await stop(ports, rollout, gone, takenAt);
}

/** Nodes wait to be replaced by what the class says now. */
const isUnderWay = ({ nodeClass, version }: Rollout, { claims }: ClusterSnapshot): boolean =>
  claims.some(
    ({ drift, launch, nodeClass: { name } }) =>
      name === nodeClass.name &&
      drift !== undefined &&
      launch !== undefined &&
      launchedVersion(launch) !== version,
  );

/** Nobody knows since when: it has begun just now. */
const lostSince = ({ troubles = [] }: LostNode['node'], now: EpochMs): EpochMs =>
  troubles.find(({ condition }) => condition === 'Ready')?.since ?? now;

async function stop(
  ports: Parts,
  { nodeClass: { name: nodeClass }, version, health }: Rollout,
  lost: readonly LostNode[],
  at: EpochMs,
): Promise<void> {
  const [first] = lost;
  if (!first) return;
  const count = health.ready.length + health.lost.length;
  const since = formatShortDuration(at - lostSince(first.node, at));
  const why = `${lost.length} of ${count} nodes of it were ready and are not, ${first.claim.name} for ${since}`;
  await stopRollout(ports, { nodeClass, version, claim: first.claim.name, why, at });
}

async function resume(
  { rollouts, journal, queue }: Parts,
  { nodeClass: { name: nodeClass }, health: { ready } }: Rollout,
  at: EpochMs,
): Promise<void> {
  await rollouts.resume(nodeClass);
  const claim = ready[0]?.name ?? '';
  await journal.happened({ kind: 'rollout-resumed', at, nodeClass, claim });
  await queue.send({ topic: 'class' });
}
