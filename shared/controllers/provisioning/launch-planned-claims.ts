import { STARTUP_CHECK_MS } from '../../lifecycle/deadlines.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { forEachConcurrently } from '../../model/concurrency.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim } from '../../model/plans.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import { type LaunchesByClaim, launchGroup } from '../launch/launch-claims.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { toLaunchEvent } from './plan-events.ts';

const RETRY_AFTER_MS = SECOND_MS;

/**
 * Launches the claims of a committed plan, one request per launch group.
 *
 * @returns the launches, by claim
 */
export async function launchPlannedClaims(
  ports: PortsOf<'provisioning'>,
  records: readonly StoredNodeClaim[],
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<LaunchesByClaim> {
  const launches = new Map<string, Launch>();
  const planned = new Map(claims.map((one) => [one.claim.name, one]));
  const unlaunched = records.filter(({ claim }) => isLaunchable(claim, planned.get(claim.name)));
  const groups = Object.values(Object.groupBy(unlaunched, ({ claim }) => launchIdOf(claim)));
  await Promise.all(
    groups.map(async (group = []) => {
      try {
        const launched = await launchGroup(ports, group);
        for (const [name, launch] of launched) launches.set(name, launch);
        await announceLaunches(ports, launched, planned, snapshot);
        await scheduleFirstChecks(ports, [...launched.keys()]);
      } catch {
        // A failed group neither stops the others nor is lost: its claims' own reconciliation
        // repeats the launch.
        const retryAt = ports.clock.now() + RETRY_AFTER_MS;
        for (const { claim } of group) {
          await ports.queue.send({ topic: 'claim', claim: claim.name }, retryAt);
        }
      }
    }),
  );
  return launches;
}

/**
 * False if another decision has taken the name, or another process has launched the claim already.
 */
const isLaunchable = ({ decision, launch }: NodeClaim, planned: PlannedClaim | undefined): boolean =>
  launch === undefined && decision === planned?.claim.decision;

async function announceLaunches(
  { decisionLog }: PortsOf<'provisioning'>,
  launched: LaunchesByClaim,
  planned: ReadonlyMap<string, PlannedClaim>,
  snapshot: ClusterSnapshot,
): Promise<void> {
  for (const [name, launch] of launched) {
    const plannedClaim = planned.get(name);
    if (plannedClaim) await decisionLog.recordEvent(toLaunchEvent(plannedClaim, launch, snapshot));
  }
}

/** Schedules the first check; each check schedules the next until the node is initialized. */
async function scheduleFirstChecks({ queue, clock }: PortsOf<'provisioning'>, names: readonly string[]): Promise<void> {
  const at = clock.now() + STARTUP_CHECK_MS;
  await Promise.all(names.map((claim) => queue.send({ topic: 'claim', claim }, at)));
}

/** Leaves the launches to the claims' own reconciliation. */
export async function deferLaunches(
  { queue }: Pick<Ports<'claim'>, 'queue'>,
  records: readonly StoredNodeClaim[],
): Promise<LaunchesByClaim> {
  const unlaunched = records.filter(({ claim }) => !claim.launch);
  await forEachConcurrently(unlaunched, ({ claim }) => queue.send({ topic: 'claim', claim: claim.name }));
  return new Map();
}
