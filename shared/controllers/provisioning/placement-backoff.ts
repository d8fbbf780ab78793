/*
 * Placement back-off: nodes that were launched for pods and do not receive them.
 *
 * The planner models kube-scheduler. If something outside of the model keeps pods from a new node (a
 * controller taints every node after it joins, a scheduler plugin refuses), the pods stay pending, fit
 * nowhere, and would be planned onto new nodes again and again.
 *
 *     launch for 20 pods       initialized        judged, 30 s later       until           probe
 *     ----+-----------------------+--------------------+--------------------+---------------+----> time
 *         | the pods are not planned onto new nodes    | no pod came:       | one NodeClaim | a pod came:
 *         | again while they have nodes on the way     | back off 1 min     | at a time     | back-off ends
 *                                                                             | no pod came: 2 min, … 1 h
 *
 * An entry belongs to a pod owner (a pod without an owner is its own) and a NodePool. Other pods of the
 * pool and other pools for the same pods are not affected.
 */

import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import { DAY_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { extendBackoff } from '../node-pool/backoff.ts';
import { groupLaunches, toOwnerKey } from './owner-launches.ts';

type BackoffPorts = Pick<Ports, 'poolBackoffs' | 'decisionLog'>;

/**
 * Compares the nodes launched for pods with the pods that run there, and updates the back-offs.
 *
 * @returns the back-offs after the update
 */
export async function recordPlacements(
  { poolBackoffs, decisionLog }: BackoffPorts,
  snapshot: ClusterSnapshot,
): Promise<readonly PoolBackoff[]> {
  const at = snapshot.takenAt;
  const stored = await poolBackoffs.list('placement');
  const backoffs = new Map(stored.map((one) => [toOwnerKey(one.pool, one.owner ?? ''), one]));
  for (const backoff of stored) {
    if (at < backoff.until + DAY_MS) continue;
    backoffs.delete(toOwnerKey(backoff.pool, backoff.owner ?? ''));
    await poolBackoffs.remove('placement', backoff.pool, backoff.owner);
  }
  for (const [key, { pool, owner, launches }] of groupLaunches(snapshot)) {
    const before = backoffs.get(key);
    // Launches from before the last failure have been counted.
    const recent = launches.filter(({ claim }) => claim.createdAt > (before?.failedAt ?? 0));
    if (recent.some(({ state }) => state === 'received')) {
      if (before) await poolBackoffs.remove('placement', pool, owner);
      backoffs.delete(key);
      continue;
    }
    const unused = recent.filter(({ state }) => state === 'unused').map(({ claim }) => claim.name);
    if (unused.length === 0) continue;
    const after = extendBackoff(before, { pool, owner, at });
    if (after === before) continue;
    backoffs.set(key, after);
    await poolBackoffs.save('placement', after);
    await decisionLog.recordEvent({
      kind: 'pods-not-received',
      at,
      pool,
      claims: unused,
      pods: listPendingPods(snapshot, owner).map(podKey),
      failures: after.failures,
      until: after.until,
    });
  }
  return [...backoffs.values()];
}

const listPendingPods = ({ pods }: ClusterSnapshot, owner: string): readonly Pod[] =>
  pods.filter((pod) => isProvisionable(pod) && toOwnerUid(pod) === owner);
