import { STARTING_LOOK_MS } from '../../lifecycle/starting.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { PlannedClaim } from '../../model/plans.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Stored } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { forEachAllTheSame } from '../support/run-all.ts';
import { launchTogether } from '../launch/launch-claims.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { launchEvent } from './plan-events.ts';

const RETRY_AFTER_MS = SECOND_MS;

/** Launches the claims of a plan that was committed, by their records. */
export async function launchPlanned(
  ports: Ports,
  records: readonly Stored[],
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  const planned = new Map(claims.map((one) => [one.claim.name, one]));
  const unlaunched = records.filter(({ claim }) => isToLaunch(claim, planned.get(claim.name)));
  const groups = Object.values(Object.groupBy(unlaunched, ({ claim }) => launchIdOf(claim)));
  await Promise.all(groups.map((group = []) => launchGroup(ports, group, planned, snapshot)));
}

/** Not another decision's that has the name, nor one that somebody else was quicker with. */
const isToLaunch = ({ decision, launch }: NodeClaim, planned: PlannedClaim | undefined): boolean =>
  launch === undefined && decision === planned?.claim.decision;

/** A launch that fails neither stops the others nor is lost: the claims' own queue repeats it. */
async function launchGroup(
  ports: Ports,
  group: readonly Stored[],
  planned: ReadonlyMap<string, PlannedClaim>,
  snapshot: ClusterSnapshot,
): Promise<void> {
  try {
    const launched = await launchTogether(ports, group);
    for (const [name, launch] of launched) {
      const plan = planned.get(name);
      if (plan) await ports.journal.happened(launchEvent(plan, launch, snapshot));
    }
    await lookAgain(ports, [...launched.keys()]);
  } catch {
    const retryAt = ports.clock.now() + RETRY_AFTER_MS;
    for (const { claim } of group) {
      await ports.queue.send({ topic: 'claim', claim: claim.name }, retryAt);
    }
  }
}

/** From then on each look asks for the next, until the node takes pods. */
async function lookAgain({ queue, clock }: Ports, names: readonly string[]): Promise<void> {
  const at = clock.now() + STARTING_LOOK_MS;
  await Promise.all(names.map((claim) => queue.send({ topic: 'claim', claim }, at)));
}

/** Has the claims launched by their own reconciliation. */
export async function leaveLaunches(
  { queue }: Pick<Ports, 'queue'>,
  records: readonly Stored[],
): Promise<void> {
  const unlaunched = records.filter(({ claim }) => !claim.launch);
  await forEachAllTheSame(unlaunched, ({ claim }) =>
    queue.send({ topic: 'claim', claim: claim.name }),
  );
}
