import type { Observed } from '../../lifecycle/observed.ts';
import { isInUse } from '../../model/nodes/node.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import { storeClaim } from '../support/claim-writes.ts';
import { findShiftAwayFrom } from '../zonal-shift/shifted-zones.ts';
import { buildLaunch } from './adoption.ts';
import { observeClaimObjects } from './observe-claim.ts';

/**
 * Gives a claim the instance that its record lacks, if its NodeClaim object names one, or if the instance
 * that is tagged with its name has a Node in use. The record is then older than the cluster, because the
 * table was restored from a backup. Otherwise the claim would be launched again, or its instance would end
 * without a drain.
 *
 * @returns true if the record has changed
 */
export async function restoreLaunch(
  ports: PortsOf<'nodeLifecycle'>,
  { claim, version }: StoredNodeClaim,
  { object, instance: tagged }: Pick<Observed, 'object' | 'instance'>,
): Promise<boolean> {
  if (claim.launch) return false;
  const shown = object === 'missing' ? undefined : object;
  const providerId = shown?.providerId ?? tagged?.providerId;
  if (providerId === undefined || (await findShiftAwayFrom(ports, providerId))) return false;
  const instance = await ports.cloud.instance(providerId);
  if (!instance?.facts || instance.state === 'terminated') return false;
  const { instanceType, zone } = instance.facts;
  const { nodes, pools } = await observeClaimObjects(ports.cluster, {
    claim: claim.name,
    instance: { providerId, instanceType, zone },
  });
  const node = nodes.find((one) => one.providerId === providerId);
  if (shown?.providerId === undefined && !isInUse(node)) return false;

  const launch = await buildLaunch(ports, { instance, ...(shown && { object: shown }) }, pools);
  if (!launch) return false;
  // The Node shows whether it is registered, and the next step stores that.
  const labels = { ...launch.labels, ...claim.labels };
  await storeClaim(ports, { ...claim, launch, labels }, version);
  const at = ports.clock.now();
  await ports.decisionLog.recordEvent({ kind: 'adopted', at, claim: claim.name });
  return true;
}
