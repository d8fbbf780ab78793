import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { PlannedClaim } from '../model/plans.ts';
import { SECOND_MS } from '../model/time.ts';
import type { Stored } from '../ports/node-claims.ts';
import type { Ports } from '../ports/ports.ts';
import { launchTogether } from './launch-claim.ts';
import { launchIdOf } from './launch-groups.ts';
import { launchEvent } from './provisioning-events.ts';

const RETRY_AFTER_MS = SECOND_MS;

/** Launches the claims of a plan that was committed: all of them are on record. */
export async function launchPlanned(
  ports: Ports,
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  const stored = await Promise.all(claims.map((planned) => findUnlaunched(ports, planned)));
  const found = stored.flatMap((one) => one ?? []);
  const groups = Object.values(Object.groupBy(found, ({ claim }) => launchIdOf(claim)));
  const planned = new Map(claims.map((one) => [one.claim.name, one]));
  await Promise.all(groups.map((group = []) => launchGroup(ports, group, planned, snapshot)));
}

/** Absent: another decision has the name, or somebody else was quicker. */
async function findUnlaunched(
  { nodeClaims }: Ports,
  { claim: { name, decision } }: PlannedClaim,
): Promise<Stored | undefined> {
  const stored = await nodeClaims.find(name);
  return stored?.claim.decision === decision && !stored.claim.launch ? stored : undefined;
}

/** A launch that fails neither stops the others nor is lost: the claims' own queue repeats it. */
async function launchGroup(
  ports: Ports,
  group: readonly Stored[],
  planned: ReadonlyMap<string, PlannedClaim>,
  snapshot: ClusterSnapshot,
): Promise<void> {
  try {
    for (const [name, launch] of await launchTogether(ports, group)) {
      const plan = planned.get(name);
      if (plan) await ports.journal.happened(launchEvent(plan, launch, snapshot));
    }
  } catch {
    const retryAt = ports.clock.now() + RETRY_AFTER_MS;
    for (const { claim } of group) {
      await ports.queue.send({ topic: 'claim', claim: claim.name }, retryAt);
    }
  }
}
