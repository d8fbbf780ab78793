import { withoutWait } from '../../lifecycle/claim-wait.ts';
import type { Launch, NodeClaim, RemovalReason } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import type { EpochMs } from '../../model/time.ts';
import type { LaunchRecord, StoredNodeClaim } from '../../ports/records.ts';
import { storeClaim, writeUnlessStale } from '../support/claim-writes.ts';
import { computeCallDeadline, type LaunchPorts } from './launch-record.ts';

export interface RecordedOutcome {
  readonly record: LaunchRecord;
  /** EC2 has refused so often that claims without an instance end. */
  readonly isGivenUp: boolean;
}

/** Stores on one claim what its launch record says: an instance, no capacity, or nothing yet. */
export async function applyLaunchRecord(
  ports: LaunchPorts,
  { claim, version }: StoredNodeClaim,
  { record, isGivenUp }: RecordedOutcome,
): Promise<readonly [string, Launch] | undefined> {
  const { name } = claim;
  const launch = ownValue(record.launches, name);
  if (launch) {
    const isStored = await storeUnlessStale(
      ports,
      withLaunch(claim, { ...launch, calledAt: record.calledAt }),
      version,
    );
    return isStored ? [name, launch] : undefined;
  }
  const cause = hasNoCapacity(record, name) ? 'InsufficientCapacity' : isGivenUp && 'LaunchTimeout';
  if (cause) {
    const ended = toTerminatedClaim(claim, cause, ports.clock.now());
    if (await storeUnlessStale(ports, ended, version)) await ports.cluster.removeNodeClaim(name);
    return undefined;
  }
  await ports.queue.send({ topic: 'claim', claim: name }, computeNextCheck(record, ports.clock.now()));
  return undefined;
}

/** True if the launch has ended without an instance for the claim. */
export const hasNoCapacity = ({ closedAt, claims, launches }: LaunchRecord, name: string): boolean =>
  closedAt !== undefined && claims.includes(name) && !Object.hasOwn(launches, name);

function computeNextCheck(record: LaunchRecord, now: EpochMs): EpochMs {
  return record.refused ? (record.retryAt ?? now) : computeCallDeadline(record);
}

/** The claim's own labels take precedence over the instance's. */
const withLaunch = (claim: NodeClaim, launch: Launch): NodeClaim => ({
  ...withoutWait(claim),
  launch,
  labels: { ...launch.labels, ...claim.labels },
});

const toTerminatedClaim = (claim: NodeClaim, removal: RemovalReason, at: EpochMs): NodeClaim => ({
  ...claim,
  deletingAt: at,
  terminatedAt: at,
  removal,
});

async function storeUnlessStale(ports: LaunchPorts, claim: NodeClaim, expectedVersion: number): Promise<boolean> {
  const isStored = await writeUnlessStale(() => storeClaim(ports, claim, expectedVersion));
  // The other writer may not know of the instance: the next reconciliation finds it by the launch
  // record.
  if (!isStored) await ports.queue.send({ topic: 'claim', claim: claim.name });
  return isStored;
}
