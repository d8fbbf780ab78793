import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import type { RecordList, StoredNodeClaim } from '../../ports/records.ts';
import { groupForLaunch } from '../launch/launch-groups.ts';
import type { LaunchPorts } from '../launch/launch-record.ts';
import { findReachedCap } from '../provisioning/launch-caps.ts';
import { nominate } from '../support/nominate.ts';
import { isStandIn, unlessUnreadable } from '../support/unreadable-records.ts';
import { type CommitOutcome, createRecords, recoverCommit, withCommitLease } from './commit.ts';

/**
 * Commits a disruption command together with the records of its replacements. Other plans that were
 * committed since the snapshot do not make it stale, because a busy cluster would then never
 * shrink. It is stale if they touched its candidates, its target nodes, or the pools that it
 * launches from, or if they used up the caps on launches. Protocol: `commit.ts`.
 */
export async function commitCommand(
  ports: LaunchPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<CommitOutcome> {
  const { outcome, released } = await withCommitLease(ports, command.id, async (lease) => {
    const epoch = await unlessUnreadable(() => recoverCommit(ports));
    // A commit that became unreadable since the snapshot: the next snapshot forbids removals.
    if (epoch === undefined || (await hasConflict(ports, command, snapshot))) return 'stale';

    const { validatedAt = command.decidedAt } = command;
    const claims = command.replacements.map(({ claim }) => ({ ...claim, createdAt: validatedAt }));
    const commit = { id: command.id, claims: groupForLaunch(claims, command.id), command };
    if (!(await ports.commits.add(commit, epoch, lease))) return 'stale';
    await createRecords(ports, commit, epoch + 1);
    await nominate(
      ports,
      command.placements.map(({ target }) => target),
    );
    return 'committed' as const;
  });
  await released;
  return outcome;
}

async function hasConflict(
  ports: LaunchPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<boolean> {
  const { nodeClaims, nominations, commands, clock } = ports;
  const [stored, nominated, commandsOnRecord] = await Promise.all([
    nodeClaims.list(),
    unlessUnreadable(() => nominations.list(clock.now())),
    commands.list(),
  ]);
  if (!nominated || commandsOnRecord.unreadable.length > 0) return true;
  if (hasNewUnreadable(stored, command, snapshot)) return true;
  const claims = stored.records.map(({ claim }) => claim);
  const running = commandsOnRecord.records.filter(({ validatedAt }) => validatedAt !== undefined);
  const candidatesOfOthers = new Set(running.flatMap(({ candidates }) => candidates));
  return (
    command.candidates.some((name) => candidatesOfOthers.has(name)) ||
    areNodesTouched(claims, nominated, command, snapshot) ||
    arePoolsChanged(claims, command, snapshot) ||
    areBudgetsUsed(claims, command, snapshot) ||
    (await areCapsUsed(ports, claims, command, snapshot))
  );
}

/** True if a claim that the command rests on cannot be read any more. */
function hasNewUnreadable(
  { unreadable }: RecordList<StoredNodeClaim>,
  { candidates }: DisruptionCommand,
  { claims }: ClusterSnapshot,
): boolean {
  const namesInSnapshot = new Set(claims.map(({ name }) => name));
  return unreadable.some(({ name }) => !namesInSnapshot.has(name) || candidates.includes(name));
}

/**
 * True if pods were planned onto the command's nodes since the snapshot, or one of them is being
 * deleted.
 */
function areNodesTouched(
  claims: readonly NodeClaim[],
  nominated: Readonly<Record<string, number>>,
  { candidates, placements }: DisruptionCommand,
  snapshot: ClusterSnapshot,
): boolean {
  const affectedNames = new Set([...candidates, ...placements.map(({ target }) => target)]);
  const deleting = new Map(snapshot.claims.map(({ name, deletingAt }) => [name, deletingAt]));
  const isNew = (name: string): boolean =>
    (ownValue(nominated, name) ?? 0) > (ownValue(snapshot.nominations, name) ?? 0);
  return claims
    .filter(({ name, nodeName = '' }) => affectedNames.has(name) || affectedNames.has(nodeName))
    .some(({ name, nodeName = '', deletingAt }) => isNew(name) || isNew(nodeName) || deletingAt !== deleting.get(name));
}

/**
 * True if other nodes of the candidates' pools have begun to leave, or are gone, since the snapshot: they
 * count towards the budgets that the command was checked against. The snapshot may be a second old.
 */
function areBudgetsUsed(
  claims: readonly NodeClaim[],
  { candidates }: DisruptionCommand,
  snapshot: ClusterSnapshot,
): boolean {
  const pools = new Set(snapshot.claims.filter(({ name }) => candidates.includes(name)).map(({ pool }) => pool));
  const ofPools = (all: readonly NodeClaim[]) => all.filter(({ pool }) => pools.has(pool));
  const before = new Map(snapshot.claims.map(({ name, deletingAt }) => [name, deletingAt]));
  const names = new Set(claims.map(({ name }) => name));
  return (
    ofPools(claims).some(({ name, deletingAt }) => deletingAt !== undefined && before.get(name) === undefined) ||
    ofPools(snapshot.claims).some(
      (claim) => claim.deletingAt === undefined && !names.has(claim.name) && !isStandIn(claim),
    )
  );
}

/**
 * True if a pool of the replacements has new claims: the limits that the command was checked
 * against have been used since.
 */
function arePoolsChanged(
  claims: readonly NodeClaim[],
  { replacements }: DisruptionCommand,
  snapshot: ClusterSnapshot,
): boolean {
  const pools = new Set(replacements.map(({ claim }) => claim.pool));
  return listNewClaims(claims, snapshot).some(({ pool }) => pools.has(pool));
}

/** True if the claims that are new since the snapshot leave too little of a cap for the replacements. */
async function areCapsUsed(
  ports: LaunchPorts,
  claims: readonly NodeClaim[],
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<boolean> {
  const { replacements, candidates, validatedAt: now = command.decidedAt } = command;
  const hasNew = listNewClaims(claims, snapshot).length > 0;
  if (replacements.length === 0 || !hasNew) return false;
  const remaining = claims.filter(({ name }) => !candidates.includes(name));
  const { offerings } = snapshot;
  const launch = { planned: replacements, claims: remaining, offerings, now };
  return (await findReachedCap(ports, launch)) !== undefined;
}

function listNewClaims(claims: readonly NodeClaim[], snapshot: ClusterSnapshot): readonly NodeClaim[] {
  const namesInSnapshot = new Set(snapshot.claims.map(({ name }) => name));
  return claims.filter(({ name }) => !namesInSnapshot.has(name));
}
