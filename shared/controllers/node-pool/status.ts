import { computePoolStatuses } from '../../lifecycle/node-pool-status.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Ports } from '../../ports/ports.ts';
import { describeRefusal } from './backoff.ts';

type StatusPorts = Pick<Ports, 'cluster' | 'poolBackoffs' | 'launchBackoffs'>;

/** Writes each NodePool's resources and conditions to its status. */
export async function reportPoolStatus(
  { cluster, poolBackoffs, launchBackoffs }: StatusPorts,
  { pools, claims, nodes }: Pick<ClusterSnapshot, 'pools' | 'claims' | 'nodes'>,
): Promise<void> {
  const backoffs = await poolBackoffs.list();
  const failures = new Map(backoffs.map(({ pool, failures: count }) => [pool, count]));
  const refusals = new Map(
    (await launchBackoffs.list()).map((backoff) => [
      backoff.pool,
      describeRefusal(backoff).message,
    ]),
  );
  const statuses = computePoolStatuses(pools, claims, nodes, failures, refusals);
  await Promise.all(statuses.map((status) => cluster.reportNodePool(status)));
}

/** The same right after a plan, whose claims the snapshot lacks. */
export const reportPoolStatusAfterLaunch = async (
  ports: StatusPorts & Pick<Ports, 'nodeClaims'>,
  { pools, nodes }: ClusterSnapshot,
): Promise<void> => {
  const claims = (await ports.nodeClaims.list()).map(({ claim }) => claim);
  await reportPoolStatus(ports, { pools, nodes, claims });
};
