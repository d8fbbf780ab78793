import type { NodeClaim } from '../../model/node-claim.ts';
import { HOUR_MS } from '../../model/time.ts';
import type { LaunchRecord, StoredLaunch } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { isUnderWay, waitingIn } from './launch-record.ts';

/** So long what came of a launch can still be told from leaks. */
const KEPT_FOR_MS = HOUR_MS;

/**
 * Closes launches that nobody waits for any more, and forgets those that are long over. All others
 * are seen to by their claims.
 *
 * @param claims - by name, not terminated
 * @returns the records as they are then
 */
export async function tendLaunches(
  ports: Pick<Ports, 'launches' | 'clock'>,
  claims: ReadonlyMap<string, NodeClaim>,
): Promise<ReadonlyMap<string, LaunchRecord>> {
  const stored = await ports.launches.list();
  const records = await Promise.all(stored.map((one) => tend(ports, one, claims)));
  return new Map(records.map((record) => [record.id, record]));
}

async function tend(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  { record, version }: StoredLaunch,
  claims: ReadonlyMap<string, NodeClaim>,
): Promise<LaunchRecord> {
  const now = clock.now();
  if (record.closedAt !== undefined) {
    if (now > record.closedAt + KEPT_FOR_MS) await launches.remove(record.id);
    return record;
  }
  const isAwaited = waitingIn(record).some(
    (name) => claims.get(name)?.deletingAt === undefined && claims.has(name),
  );
  if (isAwaited || isUnderWay(record, now)) return record;
  const closed = { ...record, closedAt: now };
  return (await launches.save(closed, version)) ? closed : record;
}
