import { findEventKind } from '../../model/explanations/event-kinds.ts';
import { ZONE_ID_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type DisruptionCommand, listCommands } from '../../model/plans.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Decision, DecisionLog } from '../../ports/decision-log.ts';
import type { PoolBackoffs, UnavailableOfferings } from '../../ports/learned-state.ts';
import { gaugeOne, type Ports, type Telemetry } from '../../ports/ports.ts';
import type { Commands, NodeClaims, StoredNodeClaim } from '../../ports/records.ts';
import { withChangeListener } from '../support/claim-decorators.ts';
import { gaugeCluster } from './cluster-metrics.ts';
import { instrumentCloud } from './instrument-cloud.ts';
import { gaugeClaims, recordClaimChange } from './node-claim-metrics.ts';
import { createOfferingMetrics, type OfferingMetrics } from './offering-metrics.ts';

type InstrumentedPorts = Pick<
  Ports,
  'clock' | 'cluster' | 'nodeClaims' | 'commands' | 'poolBackoffs' | 'decisionLog' | 'unavailableOfferings'
> &
  Partial<Pick<Ports, 'cloud'>>;

/** State that the wrappers of one process keep for later metrics. */
interface MetricsState {
  observedAt: EpochMs;
  /** Disruption reasons by decision id. */
  readonly reasons: Map<string, string>;
  /** As they were observed last. */
  pools: readonly NodePool[];
  /** Zone ids by the names of zones where claims have instances. */
  readonly zoneIds: Map<string, string>;
}

const MAX_REASONS = 1_000;

/** Wraps ports so that controllers need no metrics code of their own. Apply once per process. */
export function instrumentPorts<P extends InstrumentedPorts>(ports: P, telemetry: Telemetry): P {
  const state: MetricsState = {
    observedAt: ports.clock.now(),
    reasons: new Map(),
    pools: [],
    zoneIds: new Map(),
  };
  const offeringMetrics = createOfferingMetrics(telemetry);
  return {
    ...ports,
    cluster: instrumentCluster(ports, telemetry, state),
    ...(ports.cloud && {
      cloud: instrumentCloud({ ...ports, cloud: ports.cloud }, telemetry, {
        offeringMetrics,
        zoneIds: state.zoneIds,
      }),
    }),
    unavailableOfferings: instrumentUnavailableOfferings(ports, offeringMetrics),
    nodeClaims: instrumentNodeClaims(ports, telemetry, state),
    commands: instrumentCommands(ports.commands, state),
    decisionLog: instrumentDecisionLog(ports, telemetry, state),
    poolBackoffs: instrumentBackoffs(ports, telemetry),
  };
}

function instrumentCluster({ cluster, clock }: InstrumentedPorts, telemetry: Telemetry, state: MetricsState): Cluster {
  return {
    ...cluster,
    async observe(options) {
      try {
        const objects = await cluster.observe(options);
        state.observedAt = clock.now();
        state.pools = objects.pools;
        gaugeCluster(telemetry, objects, state.observedAt);
        return objects;
      } catch (error) {
        gaugeOne(telemetry, 'karpenter_cluster_state_synced', 0);
        throw error;
      }
    },
    async evict(pod) {
      const outcome = await cluster.evict(pod);
      const code = EVICTION_CODES[outcome.outcome];
      telemetry.count('karpenter_pods_eviction_requests_total', { code });
      if (code === '200') telemetry.count('karpenter_pods_drained_total', { reason: 'evicted' });
      return outcome;
    },
    async restartOwner(pod) {
      const result = await cluster.restartOwner(pod);
      telemetry.count('mortise_deployment_restarts_total', { outcome: result.outcome });
      return result;
    },
    async setPodDeletionCost(pod, cost) {
      const outcome = await cluster.setPodDeletionCost(pod, cost);
      if (outcome !== 'limited') telemetry.count('mortise_pod_deletion_costs_total', { outcome });
      return outcome;
    },
    async deletePod(pod, gracePeriodMs) {
      await cluster.deletePod(pod, gracePeriodMs);
      telemetry.count('karpenter_pods_drained_total', { reason: 'deleted' });
    },
  };
}

/** HTTP status codes of the eviction API. */
const EVICTION_CODES = { evicted: '200', gone: '404', refused: '429' } as const;

const instrumentUnavailableOfferings = (
  { unavailableOfferings }: InstrumentedPorts,
  offeringMetrics: OfferingMetrics,
): UnavailableOfferings => ({
  ...unavailableOfferings,
  async list(now) {
    const unavailable = await unavailableOfferings.list(now);
    offeringMetrics.recordUnavailable(unavailable);
    return unavailable;
  },
});

function instrumentNodeClaims(
  { nodeClaims, clock }: InstrumentedPorts,
  telemetry: Telemetry,
  state: MetricsState,
): NodeClaims {
  const { reasons, zoneIds } = state;
  const rememberZone = ({ claim: { launch } }: StoredNodeClaim): void => {
    const id = launch?.labels[ZONE_ID_LABEL];
    if (launch && id !== undefined) zoneIds.set(launch.zone, id);
  };
  const observed = withChangeListener(nodeClaims, (before, after) =>
    recordClaimChange(telemetry, before, after, {
      findReason: (id) => reasons.get(id),
      findPolicy: (pool) => state.pools.find(({ name }) => name === pool)?.disruption.policy,
    }),
  );
  const withZone = (stored: StoredNodeClaim | undefined): StoredNodeClaim | undefined => {
    if (stored) rememberZone(stored);
    return stored;
  };
  return {
    ...observed,
    find: async (name) => withZone(await observed.find(name)),
    findByInstance: async (id) => withZone(await observed.findByInstance(id)),
    async list(options) {
      const all = await observed.list(options);
      all.records.forEach(rememberZone);
      const claims = all.records.map(({ claim }) => claim);
      gaugeClaims(telemetry, claims, clock.now());
      return all;
    },
  };
}

function instrumentCommands(commands: Commands, { reasons }: MetricsState): Commands {
  const rememberReason = ({ id, reason }: DisruptionCommand): void => {
    if (reasons.size >= MAX_REASONS) reasons.clear();
    reasons.set(id, reason.toLowerCase());
  };
  return {
    ...commands,
    async list() {
      const listed = await commands.list();
      listed.records.forEach(rememberReason);
      return listed;
    },
    async add(command) {
      rememberReason(command);
      await commands.add(command);
    },
  };
}

function instrumentDecisionLog(
  { decisionLog, clock }: InstrumentedPorts,
  telemetry: Telemetry,
  state: MetricsState,
): DecisionLog {
  return {
    ...decisionLog,
    async recordDecision(decision) {
      const { tookMs = clock.now() - state.observedAt } = decision;
      const took = Math.max(tookMs, 0) / SECOND_MS;
      recordDecision(telemetry, decision, took, state);
      await decisionLog.recordDecision(decision);
    },
    async recordEvent(event) {
      findEventKind(event).count?.(event, telemetry);
      await decisionLog.recordEvent(event);
    },
  };
}

function recordDecision(telemetry: Telemetry, decision: Decision, took: number, { reasons }: MetricsState): void {
  if (decision.kind === 'provisioning') {
    const pods = decision.plan.unplaced.reduce((sum, { pods, waits }) => sum + (waits ? 0 : pods.length), 0);
    const name = 'karpenter_scheduler_unschedulable_pods_count';
    gaugeOne(telemetry, name, pods);
    const setAside = decision.input?.heldBack?.setAside ?? [];
    const setAsidePods = setAside.reduce((sum, workload) => sum + workload.pods.length, 0);
    gaugeOne(telemetry, 'mortise_pods_set_aside', setAsidePods);
    const isPaused = decision.input?.heldBack?.pause !== undefined;
    gaugeOne(telemetry, 'mortise_provisioning_paused', isPaused ? 1 : 0);
    telemetry.observe('karpenter_scheduler_scheduling_duration_seconds', {}, took);
    return;
  }
  telemetry.observe('karpenter_voluntary_disruption_decision_evaluation_duration_seconds', {}, took);
  const nodesSetAside = decision.input?.heldBack?.setAside ?? [];
  gaugeOne(telemetry, 'mortise_nodes_set_aside', nodesSetAside.length);
  const isPaused = decision.input?.heldBack?.pause !== undefined;
  gaugeOne(telemetry, 'mortise_disruption_paused', isPaused ? 1 : 0);
  for (const startedCommand of listCommands(decision.plan)) {
    const reason = startedCommand.reason.toLowerCase();
    reasons.set(startedCommand.id, reason);
    telemetry.count('karpenter_voluntary_disruption_decisions_total', {
      decision: findDecision(startedCommand),
      reason,
      consolidation_type: findConsolidationType(startedCommand),
    });
  }
}

/** @see Karpenter 1.15, pkg/controllers/disruption/types.go: Decision */
function findDecision({ repair, terminatesFirst, replacements }: DisruptionCommand): string {
  if (repair?.reboots) return 'reboot';
  if (terminatesFirst) return 'terminate-first';
  return replacements.length > 0 ? 'replace' : 'delete';
}

function findConsolidationType({ reason, candidates }: DisruptionCommand): string {
  if (reason === 'Empty') return 'empty';
  if (reason !== 'Underutilized') return '';
  return candidates.length > 1 ? 'multi' : 'single';
}

/** Counts new back-offs for drift, and measures the remaining time of active ones. */
const instrumentBackoffs = (
  { poolBackoffs, clock }: Pick<Ports, 'poolBackoffs' | 'clock'>,
  telemetry: Telemetry,
): PoolBackoffs => ({
  ...poolBackoffs,
  async list(cause) {
    const all = await poolBackoffs.list(cause);
    if (cause !== 'drift') return all;
    const now = clock.now();
    telemetry.gauge(
      'karpenter_nodepools_drift_backoff_seconds',
      all
        .filter(({ until }) => until > now)
        .map(({ pool: nodepool, until }) => ({
          labels: { nodepool },
          value: (until - now) / SECOND_MS,
        })),
    );
    return all;
  },
  async save(cause, backoff) {
    await poolBackoffs.save(cause, backoff);
    if (cause !== 'drift') return;
    const labels = { nodepool: backoff.pool };
    telemetry.count('karpenter_voluntary_disruption_drift_backoffs_total', labels);
  },
});
