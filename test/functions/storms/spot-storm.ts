import { onNotice } from '../../../functions/interruption/on-notice.ts';
import { eachRecord } from '../../../functions/support/each-record.ts';
import { chooseLayout } from '../../../shared/aws/dynamodb/node-claims/layout.ts';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { reconcileInterruption } from '../../../shared/controllers/interruption/reconcile.ts';
import { withSharedLists } from '../../../shared/controllers/support/claim-decorators.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aFakeWorld } from '../../controllers/support/fake-ports.ts';
import { NOON } from '../../support/builders.ts';
import { drainQueue } from '../../support/limits/event-source-mapping.ts';
import { LimitedQueue } from '../../support/limits/limited-queue.ts';
import { createLimitedTable, type LimitedTable } from '../../support/limits/limited-table.ts';
import { aRunningFleet } from '../../support/limits/planned-fleet.ts';
import { createTimeline, type Timeline } from '../../support/limits/timeline.ts';
// Silences the functions' log.
import '../fixture.ts';

/** As deployed: the mapping of the interruption queue. */
const DEPLOYED = { batchSize: 10, maxConcurrency: 10, timeoutMs: 10 * SECOND_MS };
const VISIBILITY_MS = 20 * SECOND_MS;
const MAX_RECEIVE_COUNT = 5;
/** Nothing unused is kept: the partitions give what they give in each second. */
const CAPACITY = { burstSeconds: 1 };
const LATENCY_MS = 5;

const notice = (instanceId: string): string =>
  JSON.stringify({
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: new Date(NOON).toISOString(),
    detail: { 'instance-id': instanceId },
  });

export interface StormResult {
  readonly batches: number;
  readonly timeouts: number;
  readonly deadLetters: number;
  /** When the last claim was set to be deleted, after the notices. */
  readonly lastDeletedAfterMs: number;
  readonly deleting: number;
  readonly readUnits: number;
  readonly throttled: number;
}

/** Sends spot notices at once to the deployed function, over a table and a queue with real limits. */
export async function runSpotStorm(
  claimCount: number,
  noticeCount: number,
  toInstance: (index: number) => string,
): Promise<StormResult> {
  const timeline = createTimeline(NOON);
  const limited = await withFleet(timeline, aRunningFleet(claimCount, 50));
  const { ports } = wirePorts(timeline, limited);
  const queue = new LimitedQueue({
    timeline,
    visibilityMs: VISIBILITY_MS,
    maxReceiveCount: MAX_RECEIVE_COUNT,
  });
  for (let index = 0; index < noticeCount; index += 1) {
    queue.send({ body: notice(toInstance(index)) });
  }
  const handler = eachRecord(
    onNotice(ports.clock, (parsed) => reconcileInterruption(ports, parsed)),
  );

  const report = await timeline.run(() => drainQueue({ timeline, queue, handler, ...DEPLOYED }));

  const { readUnits, throttled } = limited.usage;
  const claims = (await timeline.run(() => ports.nodeClaims.list())).map(({ claim }) => claim);
  const times = claims.flatMap(({ deletingAt }) => deletingAt ?? []);
  return {
    ...report,
    deadLetters: queue.deadLetters.length,
    lastDeletedAfterMs: Math.max(...times, NOON) - NOON,
    deleting: times.length,
    readUnits,
    throttled,
  };
}

const tableOver = ({ client }: LimitedTable, timeline: Timeline) =>
  dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);

/** The claims were stored long ago: no capacity is used when the notices arrive. */
async function withFleet(timeline: Timeline, claims: readonly NodeClaim[]): Promise<LimitedTable> {
  const empty = createLimitedTable({ timeline, capacity: { burstSeconds: 60 * 60 } });
  const table = tableOver(empty, timeline);
  await chooseLayout(table, { isNewCluster: true, now: NOON });
  const stored = dynamoNodeClaims(table, timeline.now);
  for (const claim of claims) await stored.save(claim, 0);
  const rows = empty.rows();
  return createLimitedTable({ timeline, capacity: CAPACITY, latencyMs: LATENCY_MS, rows });
}

function wirePorts(timeline: Timeline, limited: LimitedTable): { readonly ports: Ports } {
  const world = aFakeWorld();
  const table = tableOver(limited, timeline);
  const clock = { now: timeline.now };
  return {
    ports: {
      ...world.ports,
      clock,
      nodeClaims: withSharedLists(dynamoNodeClaims(table, timeline.now)),
      unavailableOfferings: dynamoUnavailableOfferings(table),
    },
  };
}
