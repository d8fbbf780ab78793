import type { Metric } from '../../shared/model/metrics/metric.ts';
import { METRICS } from '../../shared/model/metrics/metrics.ts';

/** The usage of one scenario, as `npm run e2e` prints it. */
export interface ScenarioUsage {
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly sqsRequests: number;
  readonly dynamodbRequests: number;
}

/**
 * The measured usage of a minute without events, and of one node from its pod to its termination.
 */
export interface MeasuredUsage {
  readonly idleMinute: ScenarioUsage;
  readonly node: ScenarioUsage;
}

/** The activity of a cluster in one month. */
export interface ClusterSize {
  readonly nodes: number;
  /** Nodes that are launched and later terminated. */
  readonly launches: number;
  /** Webhook calls that change nothing: repeated Events and node updates. */
  readonly otherHooks: number;
  readonly pools: number;
}

/** Assumed activity of three clusters. */
export const SIZES: readonly ClusterSize[] = [
  { nodes: 10, launches: 300, otherHooks: 8_400, pools: 1 },
  { nodes: 100, launches: 6_000, otherHooks: 138_000, pools: 5 },
  { nodes: 1_000, launches: 60_000, otherHooks: 1_980_000, pools: 20 },
  { nodes: 5_000, launches: 300_000, otherHooks: 9_900_000, pools: 20 },
];

/** List prices of us-east-1 in USD, without free tiers. */
const PRICES = {
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2e-6,
  sqsRequest: 0.45e-6,
  dynamodbWriteUnit: 0.625e-6,
  dynamodbReadUnit: 0.125e-6,
  logGb: 0.5,
  metric: 0.3,
  dashboard: 3,
  /** Each metric of an alarm. */
  alarmMetric: 0.1,
  metricRead: 10e-6,
  secret: 0.4,
  schedulerCall: 1e-6,
} as const;

const MINUTES = 30 * 24 * 60;

/** The share of writes in requests for single rows. A row has less than 1 KB: one unit each. */
const WRITES_OF_REQUESTS = 1 / 3;
/** `test/aws/dynamodb/limits` measures the rows; partitions each count as a row of 4 KB at least. */
const CLAIM_BYTES = 680;
const CLAIM_PARTITIONS = 9;
const READ_UNIT_BYTES = 4_096;
/**
 * Lists of all claims, in consistent ones: an idle minute has one by the sweep, and two by disruption
 * and by the node classes for half the price.
 */
const LISTS_OF_IDLE_MINUTE = 2;
const LISTS_OF_A_PLAN = 2;
/** Launches of a plan, assumed. */
const LAUNCHES_OF_A_PLAN = 5;
/** Long polling of an event source mapping: five pollers, each sends a request every 20 s. */
const POLLS_OF_A_QUEUE = 5 * 3 * MINUTES;
const QUEUES = 7;
const INTAKE_GB_SECONDS = 0.25 * 0.01;
const LOG_BYTES_OF_AN_INVOCATION = 900;
/** Lambda receives and deletes the messages of each run, besides its polling. */
const REQUESTS_OF_A_DELIVERY = 2;
export const ALARMS = 49;
/** One alarm compares six metrics. */
export const METRICS_OF_ALARMS = 54;
/** `mortise_sweeps_total`; the other metrics have values only while something is wrong. */
const STEADY_METRICS_OF_ALARMS = 1;
/** The sweep reads these each minute, to watch the webhooks. */
const METRIC_READS_OF_A_SWEEP = 3;
/** Two schedules each minute, one every other minute, three each hour. */
const SCHEDULED_CALLS = 2.5 * MINUTES + (3 * MINUTES) / 60;

export interface Cost {
  readonly lambda: number;
  readonly sqs: number;
  readonly dynamodb: number;
  readonly logs: number;
  /** Metrics that are read, the secret of the webhooks, schedules. */
  readonly others: number;
  /** All of these: the parts that decide and act, with `monitoring=none`. */
  readonly control: number;
  /** The alarms and their metrics, with `monitoring=alarms`. */
  readonly alarms: number;
  /** The other metrics and the dashboard, with `monitoring=all`. */
  readonly metrics: number;
}

/**
 * Computes dollars per month.
 *
 * @param growth - factor by which an idle sweep takes longer than in the measured cluster, because
 *   it reads more nodes
 */
export function monthlyCost({ idleMinute, node }: MeasuredUsage, size: ClusterSize, growth: number): Cost {
  const of = (part: keyof ScenarioUsage): number => idleMinute[part] * MINUTES + node[part] * size.launches;
  const invocations = of('invocations') + size.otherHooks;
  const gbSeconds =
    idleMinute.gbSeconds * MINUTES * growth + node.gbSeconds * size.launches + INTAKE_GB_SECONDS * size.otherHooks;

  const lambda = gbSeconds * PRICES.lambdaGbSecond + invocations * PRICES.lambdaRequest;
  const sqs =
    (of('sqsRequests') + REQUESTS_OF_A_DELIVERY * of('invocations') + size.otherHooks + POLLS_OF_A_QUEUE * QUEUES) *
    PRICES.sqsRequest;
  const dynamodb =
    of('dynamodbRequests') *
      (WRITES_OF_REQUESTS * PRICES.dynamodbWriteUnit + (1 - WRITES_OF_REQUESTS) * PRICES.dynamodbReadUnit) +
    computeListUnits(size) * PRICES.dynamodbReadUnit;
  const logs = ((invocations * LOG_BYTES_OF_AN_INVOCATION) / 1e9) * PRICES.logGb;
  const others =
    METRIC_READS_OF_A_SWEEP * MINUTES * PRICES.metricRead + PRICES.secret + SCHEDULED_CALLS * PRICES.schedulerCall;
  return {
    lambda,
    sqs,
    dynamodb,
    logs,
    others,
    control: lambda + sqs + dynamodb + logs + others,
    ...costMonitoring(size),
  };
}

/** The prices of the levels of monitoring; they do not depend on the work. */
export function costMonitoring({ pools }: Pick<ClusterSize, 'pools'>): Pick<Cost, 'alarms' | 'metrics'> {
  const metrics = series('one') + series('per-pool') * pools - STEADY_METRICS_OF_ALARMS;
  return {
    alarms: METRICS_OF_ALARMS * PRICES.alarmMetric + STEADY_METRICS_OF_ALARMS * PRICES.metric,
    metrics: metrics * PRICES.metric + PRICES.dashboard,
  };
}

/** Read units of the lists of all claims, which grow with the bytes of the claims. */
function computeListUnits({ nodes, launches }: ClusterSize): number {
  const unitsOfList = Math.max((nodes * CLAIM_BYTES) / READ_UNIT_BYTES, CLAIM_PARTITIONS);
  const plans = launches / LAUNCHES_OF_A_PLAN;
  return unitsOfList * (LISTS_OF_IDLE_MINUTE * MINUTES + LISTS_OF_A_PLAN * plans);
}

function series(cloudWatch: Metric['cloudWatch']): number {
  const all: readonly Metric[] = Object.values(METRICS);
  return all.filter((metric) => metric.cloudWatch === cloudWatch).length;
}
