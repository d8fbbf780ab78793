import { planScaleDown } from '../../disruption/scale-down.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { areNodesLacking, staticPools } from '../../scheduling/static-claims.ts';
import { deleteClaim } from '../support/claim-writes.ts';
import { isRunning } from '../disruption/commands.ts';
import { observe } from '../observe-cluster.ts';
import { reportExtensions } from './extensions.ts';

/** What pods do not ask for: nodes of static pools, the room of buffers, and what overlays say. */
export async function tendExtensions(
  ports: Ports,
  objects: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  const { pools, buffers = [], overlays = [] } = objects;
  const { settings = USUAL_SETTINGS } = ports;
  const hasStatic = staticPools({ pools, settings }).length > 0;
  if (!hasStatic && buffers.length + overlays.length === 0) return;

  const snapshot = await observe(ports);
  await scaleDown(ports, snapshot);
  await reportExtensions(ports, snapshot);
  const isLacking = areNodesLacking({ ...snapshot, claims });
  if (isLacking || buffers.length > 0) await ports.queue.send({ topic: 'plan' });
}

/** No budget holds: somebody has written a smaller number. Drains keep PodDisruptionBudgets. */
async function scaleDown(ports: Ports, snapshot: ClusterSnapshot): Promise<void> {
  const at = ports.clock.now();
  const running = (await ports.commands.list()).filter(isRunning);
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  for (const claim of planScaleDown(snapshot, busy)) {
    await deleteClaim(ports, claim, { removal: 'Requested', at });
  }
}
