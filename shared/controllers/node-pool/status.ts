import { computePoolStatuses } from '../../lifecycle/node-pool-status.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Ports } from '../../ports/ports.ts';
import { describeRefusal } from './backoff.ts';
import { type RolloutPorts, withRollouts } from './rollout-status.ts';

type StatusPorts = Pick<Ports, 'cluster' | 'registrationHealths' | 'launchBackoffs'> & RolloutPorts;

/** Writes each NodePool's resources and conditions to its status. */
export async function reportPoolStatus(
  ports: StatusPorts,
  { pools, claims, nodes }: Pick<ClusterSnapshot, 'pools' | 'claims' | 'nodes'>,
): Promise<void> {
  const { cluster, registrationHealths, launchBackoffs } = ports;
  const healths = new Map(
    (await registrationHealths.list()).map((health) => [health.pool, health]),
  );
  const refusals = new Map(
    (await launchBackoffs.list()).map((backoff) => [
      backoff.pool,
      describeRefusal(backoff).message,
    ]),
  );
  const statuses = computePoolStatuses(pools, claims, nodes, healths, refusals);
  const complete = await withRollouts(ports, { pools, claims }, statuses);
  await Promise.all(complete.map((status) => cluster.reportNodePool(status)));
}

/** The same right after a plan, whose claims the snapshot lacks. */
export const reportPoolStatusAfterLaunch = (
  ports: StatusPorts,
  { pools, nodes, claims }: ClusterSnapshot,
  launched: readonly NodeClaim[],
): Promise<void> => reportPoolStatus(ports, { pools, nodes, claims: [...claims, ...launched] });
