import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aFakeWorld } from '../../controllers/support/fake-ports.ts';
import { NOON } from '../../support/builders.ts';
import { aRunningFleet } from '../../support/limits/planned-fleet.ts';
import { createLimitedCluster, type LimitedCluster } from './limited-cluster.ts';

const CLAIMS_PER_LAUNCH = 50;
/** Failed messages come again after 20 s. */
const MAX_SECONDS = 40;

export interface StormResult {
  readonly deadLetters: number;
  /** Messages that were not handled in time. */
  readonly unhandled: number;
  /** When the last claim was set to be deleted, after the notices. */
  readonly lastDeletedAfterMs: number;
  readonly deleting: number;
  readonly readUnits: number;
  readonly throttled: number;
}

/** Sends spot notices at once to the function that handles them, over a table and a queue with real limits. */
export async function runSpotStorm(
  claimCount: number,
  noticeCount: number,
  toInstance: (index: number) => string,
): Promise<StormResult> {
  const fleet = aRunningFleet(claimCount, CLAIMS_PER_LAUNCH);
  const { table, queues, timeline, ports, runFor } = await createLimitedCluster(aFakeWorld(), fleet);
  sendSpotNotices(queues, noticeCount, toInstance);

  for (let second = 0; second < MAX_SECONDS && queues.interruption.size > 0; second += 1)
    await runFor(SECOND_MS, { functions: ['interruption'] });

  const { readUnits, throttled } = table.usage;
  const listed = await timeline.run(() => ports.nodeClaims.list());
  const times = listed.records.flatMap(({ claim }) => toDeletionTime(claim));
  return {
    deadLetters: queues.interruption.deadLetters.length,
    unhandled: queues.interruption.size,
    lastDeletedAfterMs: Math.max(...times, NOON) - NOON,
    deleting: times.length,
    readUnits,
    throttled,
  };
}

const toDeletionTime = ({ deletingAt }: NodeClaim): readonly number[] => (deletingAt === undefined ? [] : [deletingAt]);

/** EC2's notices for the first instances. */
export function sendSpotNotices(
  queues: LimitedCluster['queues'],
  count: number,
  toInstance: (index: number) => string,
): void {
  for (let index = 0; index < count; index += 1) sendSpotNotice(queues, toInstance(index));
}

/** EC2's notice, as EventBridge delivers it. */
export function sendSpotNotice({ interruption }: LimitedCluster['queues'], id: string): void {
  const body = JSON.stringify({
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: new Date(NOON).toISOString(),
    detail: { 'instance-id': id },
  });
  interruption.send({ body });
}
