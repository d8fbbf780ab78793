import { isDrainStuck } from '../../lifecycle/termination/blocked-drain.ts';
import { MIN_VALUES_RELAXED_ANNOTATION } from '../../model/labels.ts';
import type { MetricOf } from '../../model/metrics/metrics.ts';
import { type NodeClaim, phaseOf } from '../../model/nodes/node-claim.ts';
import { findReboot, isRebooting } from '../../model/nodes/reboot.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import { gaugeOne, type Telemetry } from '../../ports/ports.ts';

export interface MetricsLookups {
  /** The disruption reason of a decision. `undefined`: the claim was created for pending pods. */
  findReason(decision: string): string | undefined;
  /** `undefined` for a NodePool that was not observed. */
  findPolicy(pool: string): string | undefined;
}

/**
 * Counts what one write changed on a claim. Call it after a successful write only: then each change
 * is counted once.
 */
export function recordClaimChange(
  telemetry: Telemetry,
  before: NodeClaim | undefined,
  after: NodeClaim,
  { findReason, findPolicy }: MetricsLookups,
): void {
  const { pool: nodepool } = after;
  if (!before) {
    const reason = findReason(after.decision) ?? 'provisioned';
    telemetry.count('karpenter_nodeclaims_created_total', {
      reason,
      nodepool,
      min_values_relaxed: after.annotations[MIN_VALUES_RELAXED_ANNOTATION] ?? 'false',
    });
  }
  recordPhases(telemetry, before, after);
  recordReboot(telemetry, before, after);
  for (const category of after.impairments ?? []) {
    if (before?.impairments?.includes(category)) continue;
    telemetry.count('karpenter_interruption_instance_status_unhealthy_total', { category });
  }
  if (before && before.deletingAt === undefined && after.deletingAt !== undefined) {
    const reason = after.interruption ?? toSnakeCase(after.removal ?? 'Requested');
    const isConsolidated = reason === 'empty' || reason === 'underutilized';
    telemetry.count('karpenter_nodeclaims_disrupted_total', {
      reason,
      nodepool,
      capacity_type: after.launch?.capacityType ?? '',
      consolidation_policy: isConsolidated ? toSnakeCase(findPolicy(nodepool) ?? '') : '',
      termination_mode: findTerminationMode(after),
    });
  }
  if (before?.registeredAt === undefined && after.registeredAt !== undefined) {
    telemetry.count('karpenter_nodes_created_total', { nodepool, zone: after.launch?.zone ?? '' });
  }
  if (before && before.drainedAt === undefined && after.drainedAt !== undefined) {
    telemetry.count('karpenter_nodes_drained_total', { nodepool });
  }
  if (before?.terminatedAt === undefined && after.terminatedAt !== undefined) {
    recordTermination(telemetry, after, after.terminatedAt);
  }
}

/** @see Karpenter 1.15, pkg/utils/nodeclaim: DisruptionTerminationMode */
function findTerminationMode({ terminationGracePeriodMs }: NodeClaim): string {
  if (terminationGracePeriodMs === undefined) return 'graceful';
  return terminationGracePeriodMs > 0 ? 'eventual' : 'forceful';
}

const launchedAt = ({ launch }: NodeClaim): EpochMs | undefined => launch?.at;

type ReadTime = (claim: NodeClaim) => EpochMs | undefined;

/** The phases of a claim's life: metric, start, end. */
const PHASES: readonly (readonly [PhaseMetric, ReadTime, ReadTime])[] = [
  ['mortise_nodeclaims_ready_seconds', ({ createdAt }) => createdAt, ({ initializedAt }) => initializedAt],
  ['mortise_nodeclaims_deciding_seconds', ({ podsWaitedSince }) => podsWaitedSince, ({ createdAt }) => createdAt],
  ['mortise_nodeclaims_launching_seconds', ({ createdAt }) => createdAt, launchedAt],
  ['mortise_nodeclaims_registering_seconds', launchedAt, ({ registeredAt }) => registeredAt],
  ['mortise_nodeclaims_initializing_seconds', ({ registeredAt }) => registeredAt, ({ initializedAt }) => initializedAt],
  ['mortise_nodeclaims_first_pod_seconds', ({ initializedAt }) => initializedAt, ({ podRunningAt }) => podRunningAt],
  ['mortise_nodeclaims_draining_seconds', ({ drainingAt }) => drainingAt, ({ drainedAt }) => drainedAt],
  ['mortise_nodeclaims_terminating_seconds', ({ drainedAt }) => drainedAt, ({ terminatedAt }) => terminatedAt],
];

type PhaseMetric = Extract<MetricOf<'histogram'>, `mortise_nodeclaims_${string}`>;

/** Observes each phase that has just ended. */
function recordPhases(telemetry: Telemetry, before: NodeClaim | undefined, after: NodeClaim): void {
  for (const [name, from, to] of PHASES) {
    const [began, ended] = [from(after), to(after)];
    if (began === undefined || ended === undefined) continue;
    if ((before && to(before) !== undefined) || isStartAfterReboot(after, ended)) continue;
    telemetry.observe(name, { nodepool: after.pool }, toSeconds(began, ended));
  }
}

const isStartAfterReboot = ({ reboots, initializedAt }: NodeClaim, ended: EpochMs): boolean =>
  reboots !== undefined && ended === initializedAt;

function recordReboot(telemetry: Telemetry, before: NodeClaim | undefined, after: NodeClaim): void {
  const reboot = before && findReboot(before);
  if (!reboot || isRebooting(after)) return;
  const { requestedAt, issuedAt } = reboot;
  const endedAt = after.reboots?.at(-1)?.endedAt;
  const at = endedAt ?? after.deletingAt;
  const isFailed = endedAt === undefined && after.removal === 'Unhealthy';
  if (at === undefined || (endedAt === undefined && !isFailed)) return;
  const failure = issuedAt === undefined ? 'provider_error' : 'recovery_timeout';
  const labels = { result: isFailed ? failure : 'succeeded' };
  telemetry.count('karpenter_nodes_reboots_total', labels);
  telemetry.observe('karpenter_nodes_reboot_duration_seconds', labels, toSeconds(requestedAt, at));
  if (issuedAt === undefined || isFailed) return;
  telemetry.observe('karpenter_nodes_reboot_recovery_duration_seconds', {}, toSeconds(issuedAt, at));
}

function recordTermination(telemetry: Telemetry, claim: NodeClaim, at: EpochMs): void {
  const { pool: nodepool, launch, deletingAt, terminatingAt } = claim;
  const zone = launch?.zone ?? '';
  telemetry.count('karpenter_nodeclaims_terminated_total', {
    nodepool,
    zone,
    capacity_type: launch?.capacityType ?? '',
  });
  if (deletingAt !== undefined) {
    const name = 'karpenter_nodeclaims_termination_duration_seconds';
    telemetry.observe(name, { nodepool }, toSeconds(deletingAt, at));
  }
  if (terminatingAt !== undefined) {
    const name = 'karpenter_nodeclaims_instance_termination_duration_seconds';
    telemetry.observe(name, { nodepool }, toSeconds(terminatingAt, at));
  }
  if (claim.registeredAt === undefined) return;
  telemetry.count('karpenter_nodes_terminated_total', { nodepool, zone });
  const lived = toSeconds(claim.createdAt, at);
  telemetry.observe('karpenter_nodes_lifetime_duration_seconds', { nodepool }, lived);
}

/** Gauges the current claims; terminated ones are left out. */
export function gaugeClaims(telemetry: Telemetry, claims: readonly NodeClaim[], now: EpochMs): void {
  // A node that was rebooted is no new one.
  const starting = claims.filter((claim) => !claim.reboots && STARTING_PHASES.has(phaseOf(claim)));
  const since = Math.min(now, ...starting.map(({ createdAt }) => createdAt));
  gaugeOne(telemetry, 'mortise_nodeclaims_starting', starting.length);
  gaugeOne(telemetry, 'mortise_nodeclaims_starting_oldest_seconds', toSeconds(since, now));
  const stuck = claims.filter((claim) => isDrainStuck(claim, now));
  gaugeOne(telemetry, 'mortise_nodeclaims_drain_stuck', stuck.length);
  const byPool = Map.groupBy(claims, ({ pool }) => pool);
  telemetry.gauge(
    'karpenter_nodepools_cost_total',
    [...byPool].map(([nodepool, members]) => ({
      labels: { nodepool },
      value: sumHourlyUsd(members),
    })),
  );
}

const STARTING_PHASES: ReadonlySet<string> = new Set(['launching', 'launched', 'registered']);

const sumHourlyUsd = (claims: readonly NodeClaim[]): number =>
  claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);

const toSeconds = (from: EpochMs, to: EpochMs): number => Math.max(to - from, 0) / SECOND_MS;

/** Converts `InsufficientCapacity` to Karpenter's `insufficient_capacity`. */
const toSnakeCase = (text: string): string => text.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
