import { computePoolStatuses } from '../../lifecycle/node-pool-status.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';
import { describeRefusal } from './backoff.ts';
import { type RolloutObjects, type RolloutPorts, withRollouts } from './rollout-status.ts';

type StatusPorts = Pick<Ports, 'cluster' | 'registrationHealths' | 'launchBackoffs'> & RolloutPorts;

/** Writes each NodePool's resources and conditions to its status. */
export async function reportPoolStatus(
  ports: StatusPorts,
  objects: Pick<ClusterSnapshot, 'pools' | 'claims' | RolloutObjects>,
): Promise<void> {
  const { pools, claims, nodes, pods, podDisruptionBudgets } = objects;
  const { cluster, registrationHealths, launchBackoffs } = ports;
  const healths = new Map((await registrationHealths.list()).map((health) => [health.pool, health]));
  const refusals = new Map(
    (await launchBackoffs.list()).map((backoff) => [backoff.pool, describeRefusal(backoff).message]),
  );
  const statuses = computePoolStatuses(pools, claims, nodes, healths, refusals);
  const complete = await withRollouts(ports, { pools, claims, nodes, pods, podDisruptionBudgets }, statuses);
  await Promise.all(complete.map((status) => cluster.reportNodePool(status)));
}

/** The same right after a plan, whose claims the snapshot lacks. */
export const reportPoolStatusAfterLaunch = (
  ports: StatusPorts,
  snapshot: ClusterSnapshot,
  launched: readonly NodeClaim[],
): Promise<void> => reportPoolStatus(ports, { ...snapshot, claims: [...snapshot.claims, ...launched] });

/** The NodePools whose rollouts a process has reported, so that it also reports their ends. */
const reported = new WeakMap<StatusPorts['cluster'], ReadonlySet<string>>();

/**
 * The same for the NodePools with drifted nodes, whose rollouts a step of disruption moves on. If another
 * process has reported a rollout, the sweep reports its end.
 */
export async function reportRollouts(ports: StatusPorts, snapshot: ClusterSnapshot): Promise<void> {
  const drifted = new Set(
    snapshot.claims.flatMap(({ pool, drift, removal }) => (drift !== undefined || removal === 'Drifted' ? [pool] : [])),
  );
  const before = reported.get(ports.cluster) ?? new Set();
  if (drifted.size === 0 && before.size === 0) return;
  const pools = snapshot.pools.filter(({ name }) => drifted.has(name) || before.has(name));
  await reportPoolStatus(ports, { ...snapshot, pools });
  reported.set(ports.cluster, drifted);
}
