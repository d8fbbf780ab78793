import type { OwnershipLeases } from '../../shared/memory/ownership.ts';
import { createMulberry32 } from '../../shared/model/random.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { createCluster, listParts, listPools } from './cluster/create-cluster.ts';
import { happen } from './cluster/incidents.ts';
import { startCloudController } from './cluster/node-incidents.ts';
import { addForeignNode, addKarpenterNode } from './cluster/other-nodes.ts';
import { createSurroundings } from './cluster/surroundings.ts';
import { createTable } from './cluster/table.ts';
import { findUnrecovered } from './invariants/find-unrecovered.ts';
import { createRedactionCheck } from './invariants/redacted-records.ts';
import { createViolationLog, type Violation } from './invariants/violations.ts';
import { watchCloud, watchCluster } from './invariants/watch-effects.ts';
import { watchRecords } from './invariants/watch-records.ts';
import type { History } from './model/history.ts';
import { createConcurrentClock } from './runtime/concurrent-clock.ts';
import { createControllerProcess } from './runtime/controller-process.ts';
import { withFatalPods } from './runtime/fatal-pods.ts';
import { createFaultPlan } from './runtime/fault-plan.ts';
import { formatCall } from './runtime/format-call.ts';
import type { PortCall } from './runtime/invocation-ports.ts';
import { createInvocations, FUNCTIONS } from './runtime/invocations.ts';
import { createMessageQueues } from './runtime/message-queues.ts';
import { keepPastObjects, withStaleViews } from './runtime/past-objects.ts';
import { withUnreadableRows } from './runtime/unreadable-rows.ts';
import { MAX_WATCH_AGE_MS, watchWithFaults } from './runtime/watches.ts';

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

/** The calls that nothing but the owner of the cluster may make. */
const EFFECTS: ReadonlySet<string> = new Set([
  'launch',
  'terminate',
  'reboot',
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
  const faultsEndAt = startAt + history.activeMs;
  const clock = createConcurrentClock(world.clock);
  const faults = createFaultPlan(history, startAt, clock.now);
  const has = (kind: History['parts'][number]['kind']): boolean => listParts(history, kind).length > 0;
  const surroundings = createSurroundings(open, faults, !has('no-client-tokens'));
  const foreignNodes = new Set(
    listParts(history, 'foreign-node').map(({ flavour }) => addForeignNode(open, surroundings, flavour).name),
  );
  for (const { name } of listParts(history, 'karpenter-node')) addKarpenterNode(open, surroundings, name);
  // If a Node has lost both its record and its NodeClaim, nothing of ours names it once its instance is
  // gone. EKS always has the cloud controller, which deletes it.
  const happens = (kind: History['incidents'][number]['kind']): boolean =>
    history.incidents.some((incident) => incident.kind === kind);
  const isSetBack = happens('set-table-back');
  const hasCloudController = has('cloud-controller') || (isSetBack && happens('strip-claim'));
  if (hasCloudController) startCloudController(open);

  const log = createViolationLog(clock.now);
  const table = createTable(clock.now, faults, isSetBack);
  const records = watchRecords(history, open, table.records, log);
  const { nodeClaims, commands, claims } = records;
  const maxSkewMs = Math.max(0, ...listParts(history, 'clock-skew').map(({ maxMs }) => maxMs));
  const { launches, commits, nominations } = table.records;
  const watched = { open, surroundings, foreignNodes, log, claims, launches, maxSkewMs };
  const [caps] = listParts(history, 'launch-caps');
  const [repair] = listParts(history, 'node-repair');
  const leases: OwnershipLeases = {};
  const readableRows = { nodeClaims, commands, launches, commits, nominations };
  const redaction = createRedactionCheck(world.ports.decisionLog, log);
  const ports: Ports = {
    ...world.ports,
    ...table.records,
    ...withUnreadableRows(readableRows, surroundings.spoiltRows),
    decisionLog: redaction.decisionLog,
    cluster: { ...watchCluster(watched), ...createReads() },
    cloud: watchCloud(watched),
    queue: { send: async (hint, at) => queues.send(hint, at) },
    settings: {
      ...DEFAULT_SETTINGS,
      gates: {
        ...DEFAULT_GATES,
        StaticCapacity: true,
        TerminateFirstDrift: has('terminate-first'),
        ...(repair && {
          NodeRepair: true,
          RebootForRepair: repair.reboots,
          TerminateFirstRepair: repair.terminatesFirst,
        }),
      },
      surplusNodes: history.seed % 2 === 0 ? 'TaintAndPodDeletionCost' : 'Ignore',
      ...(has('free-moves') && { consolidationPaybackMs: 'Any' }),
    },
    ...(caps && { launchCaps: caps }),
  };
  const listFatal = (kind: 'fatal-workload' | 'fatal-moves'): ReadonlySet<string> =>
    new Set(listParts(history, kind).map(({ workload }) => workload));
  const fatalWorkloads = {
    pending: listFatal('fatal-workload'),
    moving: listFatal('fatal-moves'),
  };
  const isFatal = (): boolean => clock.now() < faultsEndAt;
  const traceAt = (line: () => string): void =>
    trace(() => `${((clock.now() - startAt) / SECOND_MS).toFixed(1)} ${line()}`);
  let calls = 0;
  const invocations = createInvocations({
    ...{ clock, faults, leases, log, maxSkewMs },
    random: createMulberry32(history.seed),
    portsFor: (invocation) => withFatalPods(ports, fatalWorkloads, invocation, isFatal),
    onCall(call) {
      calls += 1;
      checkStandBy(call);
      traceAt(() => formatCall(call));
    },
  });
  const queues = has('controller')
    ? createControllerProcess(clock, leases, invocations.run)
    : createMessageQueues(clock, faults, (hint, onEnd) => void invocations.run(hint, FUNCTIONS, onEnd));

  /** How the controllers see the cluster. */
  function createReads(): Partial<Cluster> {
    const { cluster } = surroundings;
    const observe = () => cluster.observe({ owners: true });
    const staleMs = history.faults.map((fault) => (fault.kind === 'stale-view' ? fault.ms : 0));
    const keepMs = has('controller') ? MAX_WATCH_AGE_MS : 2 * Math.max(0, ...staleMs);
    const findPast = keepPastObjects(observe, clock, { keepMs, until: faultsEndAt });
    const hint = (one: Hint, at: number): void => queues.send(one, at);
    return has('controller')
      ? watchWithFaults({ open, listed: cluster, clock, faults, findPast, hint })
      : { observe: withStaleViews(cluster, { findPast, faults, now: clock.now }).observe };
  }

  /** An invocation that starts while another owner has the cluster leaves it alone. */
  function checkStandBy({ invocation, method, outcome }: PortCall): void {
    if (outcome !== 'answered' || !EFFECTS.has(method)) return;
    const standBy = surroundings.standBys.find(
      ({ from, until }) => from <= invocation.startedAt && clock.now() <= until,
    );
    if (standBy) log.report('stand-by', `${invocation.topic} called ${method}`);
  }

  /** The functions stand still while rows are restored; then the first sweep starts by itself. */
  function setTableBack(moment: number): void {
    invocations.killAll();
    surroundings.spoiltRows.clear();
    records.setBack(moment);
    void table.setBack(moment);
  }

  world.consume(async (hint) => queues.send(hint));
  const hint = (one: Hint): void => queues.send(one);
  for (const incident of history.incidents) {
    world.clock.schedule(startAt + incident.atMs, () => {
      traceAt(() => `incident ${JSON.stringify(incident)}`);
      const rows = readableRows;
      happen({ open, surroundings, leases, foreignNodes, rows, hint, setTableBack }, incident);
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
  redaction.check();
  const { all, busiestMinute } = invocations.count();
  return {
    seed: history.seed,
    violations: log.violations,
    invocations: all,
    calls,
    launches: world.ledger.billedNodes.length,
    faults: faults.counts,
    recoveryMs: clock.now() - faultsEndAt,
    busiestMinute,
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
        claims,
      });
      quietChecks = problems.length === 0 ? quietChecks + 1 : 0;
    }
    return problems;
  }
}
