import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { onNotice } from '../../../functions/interruption/on-notice.ts';
import { eachRecord } from '../../../functions/support/each-record.ts';
import { onBatch } from '../../../functions/support/on-batch.ts';
import { sendOnOrSweep } from '../../../functions/sweep/send-on-or-sweep.ts';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { parseHint } from '../../../shared/aws/queues/hint-schema.ts';
import { sdkMessageSender } from '../../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../../shared/aws/queues/work-queue.ts';
import { createTableRecords } from '../../../shared/composition/records.ts';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileInterruption } from '../../../shared/controllers/interruption/reconcile.ts';
import { DEFAULT_PROVISIONING_SETTINGS } from '../../../shared/controllers/provisioning/observe-batch.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { withSingleWakeUps } from '../../../shared/controllers/support/hints.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { POD_MARGIN_MS } from '../../../shared/model/settings.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Topic } from '../../../shared/ports/work-queue.ts';
import type { FakeWorld } from '../../controllers/support/fake-ports.ts';
import { NOON } from '../../support/builders.ts';
import { type FunctionShape, pollQueue } from '../../support/limits/event-source-mapping.ts';
import { createQueueClient, LimitedQueue } from '../../support/limits/limited-queue.ts';
import { createLimitedTable, type LimitedTable } from '../../support/limits/limited-table.ts';
import { createTimeline, type Timeline } from '../../support/limits/timeline.ts';
import { type ActivityLog, createActivityLog, withLatency } from './cluster-latency.ts';
// Silences the functions' log.
import '../fixture.ts';

const TABLE_LATENCY_MS = 5;
/** Nothing unused is kept: the partitions give what they give in each second. */
const CAPACITY = { burstSeconds: 1 };
const MAX_RECEIVE_COUNT = 5;

/** The functions that a burst of notices or pods starts, as `infra/workers.ts` deploys them. */
const FUNCTIONS = {
  interruption: { batchSize: 10, maxConcurrency: 10, timeoutMs: 10 * SECOND_MS },
  plan: { batchSize: 10, maxConcurrency: 1, timeoutMs: 120 * SECOND_MS },
  claim: { batchSize: 10, maxConcurrency: 10, timeoutMs: 60 * SECOND_MS },
  sweep: { batchSize: 10, maxConcurrency: 5, timeoutMs: 60 * SECOND_MS },
} as const satisfies Partial<Record<Topic, FunctionShape>>;
type FunctionTopic = keyof typeof FUNCTIONS;
const ALL_FUNCTIONS = ['interruption', 'plan', 'claim', 'sweep'] as const;

const urlOf = (topic: Topic): string => `https://sqs.us-east-1.amazonaws.com/123456789012/${topic}`;
const URLS: Readonly<Record<Topic, string>> = {
  plan: urlOf('plan'),
  claim: urlOf('claim'),
  disrupt: urlOf('disrupt'),
  sweep: urlOf('sweep'),
  interruption: urlOf('interruption'),
  class: urlOf('class'),
};

type Queues = Readonly<Record<Topic, LimitedQueue>>;

/** The deployed functions over a table and queues with real limits, under virtual time. */
export interface LimitedCluster {
  readonly timeline: Timeline;
  readonly table: LimitedTable;
  readonly queues: Queues;
  readonly ports: Ports;
  readonly activity: ActivityLog;
  /** Hands the messages of the queues to their functions for so long. */
  runFor(ms: number, options?: RunOptions): Promise<void>;
}

interface RunOptions {
  /** All by default. */
  readonly functions?: readonly FunctionTopic[];
  /** Happens at the same time, for example messages that arrive one after the other. */
  readonly beside?: () => Promise<void>;
}

/**
 * @param world - the cluster and EC2 that the functions see
 * @param claims - stored long ago: no capacity of the table is used when the run begins
 */
export async function createLimitedCluster(world: FakeWorld, claims: readonly NodeClaim[]): Promise<LimitedCluster> {
  const timeline = createTimeline(NOON);
  const table = await withClaims(timeline, claims);
  const queues = createQueues(timeline);
  const activity = createActivityLog();
  const wire = (): Ports => wirePorts(world, { timeline, table, queues, activity });
  const environments = createEnvironments(wire, timeline);

  return {
    timeline,
    table,
    queues,
    ports: wire(),
    activity,
    runFor(ms, { functions = ALL_FUNCTIONS, beside = async () => {} } = {}) {
      const until = timeline.now() + ms;
      const poll = (topic: FunctionTopic) =>
        pollQueue({
          ...{ timeline, until, queue: queues[topic], environments: environments[topic] },
          ...FUNCTIONS[topic],
        });
      return timeline.run(async () => {
        await Promise.all([...functions.map(poll), beside()]);
      });
    },
  };
}

interface RunParts {
  readonly timeline: Timeline;
  readonly table: LimitedTable;
  readonly queues: Queues;
  readonly activity: ActivityLog;
}

function wirePorts(world: FakeWorld, { timeline, table, queues, activity }: RunParts): Ports {
  const clock = { now: timeline.now };
  const rows = tableOver(table, timeline);
  const records = createTableRecords(rows);
  const queue = withSingleWakeUps(
    sqsWorkQueue(sdkMessageSender(createQueueClient(toUrls(queues))), clock, URLS),
    records.wakeUps,
    clock,
  );
  return {
    ...world.ports,
    ...records,
    nodeClaims: dynamoNodeClaims(rows, timeline.now),
    clock,
    queue,
    sleep: timeline.sleep,
    ...withLatency(world, { timeline, activity, queue }),
  };
}

const toUrls = (queues: Queues): Readonly<Record<string, LimitedQueue>> => ({
  [URLS.plan]: queues.plan,
  [URLS.claim]: queues.claim,
  [URLS.disrupt]: queues.disrupt,
  [URLS.sweep]: queues.sweep,
  [URLS.interruption]: queues.interruption,
  [URLS.class]: queues.class,
});

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** Every execution environment of a function has its own ports, with caches and connections. */
function createEnvironments(
  wire: () => Ports,
  timeline: Timeline,
): Readonly<Record<FunctionTopic, readonly Handler[]>> {
  const repeat = (topic: FunctionTopic): readonly Handler[] =>
    Array.from({ length: FUNCTIONS[topic].maxConcurrency }, () => createHandlers(wire(), timeline)[topic]);
  return {
    interruption: repeat('interruption'),
    plan: repeat('plan'),
    claim: repeat('claim'),
    sweep: repeat('sweep'),
  };
}

function createHandlers(ports: Ports, timeline: Timeline): Readonly<Record<FunctionTopic, Handler>> {
  const settings = { ...DEFAULT_PROVISIONING_SETTINGS, wait: timeline.sleep };
  return {
    interruption: eachRecord(onNotice(ports.clock, (notice) => reconcileInterruption(ports, notice))),
    plan: onBatch(
      { ...ports, sleep: timeline.sleep, hide: async () => {} },
      {
        hint: { topic: 'plan' },
        persistenceMs: POD_MARGIN_MS,
        work: () => reconcileProvisioning(ports, settings),
      },
    ),
    claim: eachRecord(async ({ body }) => {
      const hint = parseHint(body);
      if (hint) await dispatch(ports, hint);
    }),
    sweep: eachRecord(sendOnOrSweep({ ...ports, telemetry: { count: () => {} } }, async () => {})),
  };
}

/** Visibility timeouts as `infra/constructs/work-queues.ts` has them; FIFO consumers shorten theirs. */
function createQueues(timeline: Timeline): Queues {
  const create = (seconds: number, isFifo = false): LimitedQueue =>
    new LimitedQueue({
      ...{ timeline, isFifo, maxReceiveCount: MAX_RECEIVE_COUNT },
      visibilityMs: seconds * SECOND_MS,
    });
  return {
    plan: create(30, true),
    disrupt: create(30, true),
    claim: create(360),
    sweep: create(90),
    interruption: create(20),
    class: create(90),
  };
}

const tableOver = ({ client }: LimitedTable, timeline: Timeline) =>
  dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);

async function withClaims(timeline: Timeline, claims: readonly NodeClaim[]): Promise<LimitedTable> {
  const empty = createLimitedTable({ timeline, capacity: { burstSeconds: 60 * 60 } });
  const table = tableOver(empty, timeline);
  const stored = dynamoNodeClaims(table, timeline.now);
  for (const claim of claims) await stored.save(claim, 0);
  const rows = empty.rows();
  return createLimitedTable({ timeline, capacity: CAPACITY, latencyMs: TABLE_LATENCY_MS, rows });
}
