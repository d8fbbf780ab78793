import { dispatch } from '../../shared/controllers/dispatch.ts';
import { DEFAULT_PROVISIONING_SETTINGS } from '../../shared/controllers/provisioning/observe-batch.ts';
import type { OwnershipLeases } from '../../shared/memory/ownership.ts';
import { StaleNodeClaimError, StaleObjectError } from '../../shared/model/errors.ts';
import { createMulberry32 } from '../../shared/model/random.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { createCluster, listParts, listPools } from './cluster/create-cluster.ts';
import { happen, startCloudController } from './cluster/incidents.ts';
import { addForeignNode, addKarpenterNode } from './cluster/other-nodes.ts';
import { createSurroundings } from './cluster/surroundings.ts';
import { findUnrecovered } from './invariants/find-unrecovered.ts';
import { createViolationLog, type Violation } from './invariants/violations.ts';
import { watchCloud, watchCluster } from './invariants/watch-effects.ts';
import { watchRecords } from './invariants/watch-records.ts';
import type { History } from './model/history.ts';
import { createConcurrentClock } from './runtime/concurrent-clock.ts';
import { withFatalPods } from './runtime/fatal-pods.ts';
import { createFaultPlan } from './runtime/fault-plan.ts';
import { formatCall } from './runtime/format-call.ts';
import {
  createInvocationPorts,
  type Invocation,
  isInjected,
  type PortCall,
} from './runtime/invocation-ports.ts';
import { createMessageQueues, type RunEnd } from './runtime/message-queues.ts';
import { withUnreadableRows } from './runtime/unreadable-rows.ts';

/** The figures and violations of one run. */
export interface HistoryResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly invocations: number;
  readonly calls: number;
  readonly launches: number;
  /** Faults that struck, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** How long the cluster took to recover after the last fault. */
  readonly recoveryMs: number;
  /** The most invocations within one minute. */
  readonly busiestMinute: number;
}

/** The functions' timeouts, as `infra/timeouts.ts` sets them. */
const TIMEOUTS_MS: Readonly<Record<Hint['topic'], number>> = {
  plan: 120 * SECOND_MS,
  claim: 60 * SECOND_MS,
  disrupt: 300 * SECOND_MS,
  interruption: 10 * SECOND_MS,
  sweep: 60 * SECOND_MS,
  class: 60 * SECOND_MS,
};

/** The calls that nothing but the owner of the cluster may make. */
const EFFECTS: ReadonlySet<string> = new Set([
  'launch',
  'terminate',
  'evict',
  'deletePod',
  'restartOwner',
  'setPodDeletionCost',
  'deleteNode',
  'changeNode',
]);

const CHECK_EVERY_MS = 5 * MINUTE_MS;
/** Nodes that expire all the time are replaced all the time: there is one quiet minute now and then. */
const CHECK_EXPIRING_EVERY_MS = MINUTE_MS;
/** After this time at most, all traces of the faults must be gone. */
const MAX_RECOVERY_MS = 150 * MINUTE_MS;

/**
 * Runs a history and checks the invariants during it and after it.
 *
 * @param trace - gets each call of each invocation, each incident and each event
 */
export async function runHistory(
  history: History,
  trace: (line: () => string) => void = () => {},
): Promise<HistoryResult> {
  const open = createCluster(history);
  const { world } = open;
  const startAt = world.clock.now();
  const clock = createConcurrentClock(world.clock);
  const faults = createFaultPlan(history, startAt, clock.now);
  const hasClientTokens = listParts(history, 'no-client-tokens').length === 0;
  const surroundings = createSurroundings(open, faults, hasClientTokens);
  const foreignNodes = new Set(
    listParts(history, 'foreign-node').map(
      ({ flavour }) => addForeignNode(open, surroundings, flavour).name,
    ),
  );
  for (const { name } of listParts(history, 'karpenter-node'))
    addKarpenterNode(open, surroundings, name);
  const hasCloudController = listParts(history, 'cloud-controller').length > 0;
  if (hasCloudController) startCloudController(open);

  const log = createViolationLog(clock.now);
  const { nodeClaims, commands, claims } = watchRecords(history, open, log);
  const maxSkewMs = Math.max(0, ...listParts(history, 'clock-skew').map(({ maxMs }) => maxMs));
  const watched = { open, surroundings, foreignNodes, log, claims, maxSkewMs };
  const [caps] = listParts(history, 'launch-caps');
  const leases: OwnershipLeases = {};
  const queues = createMessageQueues(clock, faults, run);
  const { launches, commits, nominations } = world.ports;
  const readableRows = { nodeClaims, commands, launches, commits, nominations };
  const ports: Ports = {
    ...world.ports,
    ...withUnreadableRows(readableRows, surroundings.spoiltRows),
    cluster: watchCluster(watched),
    cloud: watchCloud(watched),
    queue: { send: async (hint, at) => queues.send(hint, at) },
    settings: {
      ...DEFAULT_SETTINGS,
      gates: { ...DEFAULT_GATES, StaticCapacity: true },
      surplusNodes: history.seed % 2 === 0 ? 'TaintAndPodDeletionCost' : 'Ignore',
      ...(listParts(history, 'free-moves').length > 0 && { consolidationPaybackMs: 'Any' }),
    },
    ...(caps && { launchCaps: caps }),
  };
  const random = createMulberry32(history.seed);
  const faultsEndAt = startAt + history.activeMs;
  const listNames = (kind: 'fatal-workload' | 'fatal-moves'): ReadonlySet<string> =>
    new Set(listParts(history, kind).map(({ workload }) => workload));
  const fatalWorkloads = {
    pending: listNames('fatal-workload'),
    moving: listNames('fatal-moves'),
  };
  const traceAt = (line: () => string): void =>
    trace(() => `${((clock.now() - startAt) / SECOND_MS).toFixed(1)} ${line()}`);
  let invocations = 0;
  let calls = 0;

  const perMinute = new Map<number, number>();

  function run(hint: Hint, onEnd: (end: RunEnd) => void): void {
    invocations += 1;
    const minute = Math.floor((clock.now() - startAt) / MINUTE_MS);
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    let hasEnded = false;
    const end = (how: RunEnd): void => {
      if (!hasEnded) onEnd(how);
      hasEnded = true;
    };
    const invocation: Invocation = {
      id: invocations,
      topic: hint.topic,
      startedAt: clock.now(),
      skewMs: Math.round((2 * random() - 1) * maxSkewMs),
      isDead: false,
      die() {
        invocation.isDead = true;
        end('died');
      },
    };
    const onCall = (call: PortCall): void => {
      calls += 1;
      checkStandBy(call);
      traceAt(() => formatCall(call));
    };
    const callSettings = { clock, faults, random, onCall };
    const own = createInvocationPorts(
      withFatalPods(ports, fatalWorkloads, invocation, () => clock.now() < faultsEndAt),
      invocation,
      leases,
      callSettings,
    );
    const wait = (ms: number): Promise<void> => clock.sleep(ms);
    const settings = { ...DEFAULT_PROVISIONING_SETTINGS, wait };
    clock.startAfter(TIMEOUTS_MS[hint.topic], invocation.die);
    void dispatch(own, hint, hint.topic === 'plan' ? settings : undefined).then(
      () => end('done'),
      (error: unknown) => {
        if (!isExpected(error)) log.report('unexpected-error', describeError(error));
        end('failed');
      },
    );
  }

  /** An invocation that starts while another owner has the cluster leaves it alone. */
  function checkStandBy({ invocation, method, outcome }: PortCall): void {
    if (outcome !== 'answered' || !EFFECTS.has(method)) return;
    const standBy = surroundings.standBys.find(
      ({ from, until }) => from <= invocation.startedAt && clock.now() <= until,
    );
    if (standBy) log.report('stand-by', `${invocation.topic} called ${method}`);
  }

  world.consume(async (hint) => queues.send(hint));
  const hint = (one: Hint): void => queues.send(one);
  for (const incident of history.incidents) {
    world.clock.schedule(startAt + incident.atMs, () => {
      traceAt(() => `incident ${JSON.stringify(incident)}`);
      happen({ open, surroundings, leases, foreignNodes, hint }, incident);
    });
  }

  open.api.nodes.watch(({ before, after }) => {
    const { name, taints = [], ready, deletionAt } = after ?? {};
    const text = JSON.stringify({ name, ready, deletionAt, taints: taints.map(({ key }) => key) });
    traceAt(() => (after ? `node ${text}` : `node ${before?.name} is gone`));
  });
  await world.clock.runUntil(faultsEndAt);
  const remaining = await recover();
  if (remaining.length > 0) log.report('recovers', remaining.slice(0, 8).join('; '));
  checkLaunchCount();
  return {
    seed: history.seed,
    violations: log.violations,
    invocations,
    calls,
    launches: world.ledger.billedNodes.length,
    faults: faults.counts,
    recoveryMs: clock.now() - faultsEndAt,
    busiestMinute: Math.max(0, ...perMinute.values()),
  };

  /** Each pod is bought for once, and each incident may cost some nodes more. */
  function checkLaunchCount(): void {
    const { createdPods, billedNodes } = world.ledger;
    const allowed = createdPods + 3 * history.incidents.length + 10;
    if (billedNodes.length > allowed)
      log.report('bounded-launches', `${billedNodes.length} launches for ${createdPods} pods`);
  }

  /** Lets the cluster recover. It has recovered if two checks in a row find nothing. */
  async function recover(): Promise<readonly string[]> {
    const isExpiring = listPools(history).some(({ expireAfterMs }) => expireAfterMs !== undefined);
    const everyMs = isExpiring ? CHECK_EXPIRING_EVERY_MS : CHECK_EVERY_MS;
    const neededChecks = isExpiring ? 1 : 2;
    let problems: readonly string[] = [];
    let quietChecks = 0;
    while (clock.now() < faultsEndAt + MAX_RECOVERY_MS && quietChecks < neededChecks) {
      await world.clock.runUntil(clock.now() + everyMs);
      problems = await findUnrecovered({
        open,
        ports: { ...ports, ...readableRows },
        surroundings,
        foreignNodes,
        hasCloudController,
      });
      quietChecks = problems.length === 0 ? quietChecks + 1 : 0;
    }
    return problems;
  }
}

const isExpected = (error: unknown): boolean =>
  isInjected(error) ||
  error instanceof StaleNodeClaimError ||
  error instanceof StaleObjectError ||
  (error instanceof AggregateError && error.errors.every(isExpected));

const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
