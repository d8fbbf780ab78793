import type { NodePoolStatus } from '../../../model/nodes/reported-status.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { NodeClassObject } from '../../../ports/node-classes.ts';
import type { Telemetry } from '../../../ports/ports.ts';
import { toAges, toCounts, toSeconds } from './condition-samples.ts';
import { createConditionTracker, type TrackedObject } from './condition-tracker.ts';

/** Measures the conditions of NodePools and EC2NodeClasses. */
export interface PoolAndClassConditions {
  /** Records the status that was written on a NodePool. */
  recordPool(status: NodePoolStatus, now: EpochMs): void;
  /** Drops all NodePools but these. */
  keepPools(names: readonly string[]): void;
  observeClasses(classes: readonly NodeClassObject[], now: EpochMs): void;
  gauge(now: EpochMs): void;
  clear(): void;
}

export function createPoolAndClassConditions(telemetry: Telemetry): PoolAndClassConditions {
  const pools = createConditionTracker<TrackedObject>();
  const classes = createConditionTracker<TrackedObject>();
  let statuses = new Map<string, TrackedObject>();
  const rollouts = new Map<string, NonNullable<NodePoolStatus['rollout']>>();

  function observePools(now: EpochMs): void {
    for (const { before, after } of pools.observe([...statuses.values()], now)) {
      const { type, status, reason } = after;
      const labels = { type, status, reason };
      telemetry.count('operator_nodepool_status_condition_transitions_total', labels);
      telemetry.observe(
        'operator_nodepool_status_condition_transition_seconds',
        { type, status: before.status },
        toSeconds(before.since, after.since),
      );
    }
  }

  return {
    recordPool({ pool, conditions, rollout }, now) {
      statuses.set(pool, { name: pool, conditions });
      if (rollout) rollouts.set(pool, rollout);
      else rollouts.delete(pool);
      observePools(now);
    },
    keepPools(names) {
      const kept = new Set(names);
      statuses = new Map([...statuses].filter(([name]) => kept.has(name)));
      for (const name of rollouts.keys()) if (!kept.has(name)) rollouts.delete(name);
    },
    observeClasses(objects, now) {
      for (const { before, after } of classes.observe(objects, now)) {
        const { type, status, reason } = after;
        const labels = { type, status, reason };
        telemetry.count('operator_ec2nodeclass_status_condition_transitions_total', labels);
        telemetry.observe(
          'operator_ec2nodeclass_status_condition_transition_seconds',
          { type, status: before.status },
          toSeconds(before.since, after.since),
        );
      }
    },
    gauge(now) {
      observePools(now);
      const ofPools = pools.list().map(({ condition }) => ({ condition, labels: {} }));
      const ofClasses = classes.list().map(({ condition }) => ({ condition, labels: {} }));
      gaugeRollouts(telemetry, rollouts);
      telemetry.gauge('operator_nodepool_status_condition_count', toCounts(ofPools));
      telemetry.gauge('operator_nodepool_status_condition_current_status_seconds', toAges(ofPools, now));
      telemetry.gauge('operator_ec2nodeclass_status_condition_count', toCounts(ofClasses));
      telemetry.gauge('operator_ec2nodeclass_status_condition_current_status_seconds', toAges(ofClasses, now));
    },
    clear() {
      statuses = new Map();
      rollouts.clear();
      pools.clear();
      classes.clear();
    },
  };
}

function gaugeRollouts(
  telemetry: Telemetry,
  rollouts: ReadonlyMap<string, NonNullable<NodePoolStatus['rollout']>>,
): void {
  telemetry.gauge(
    'mortise_nodepools_rollout_nodes',
    [...rollouts].map(([nodepool, { remaining }]) => ({ labels: { nodepool }, value: remaining })),
  );
  telemetry.gauge(
    'mortise_nodepools_rollout_remaining_seconds',
    [...rollouts].flatMap(([nodepool, { remainingMs }]) =>
      remainingMs === undefined ? [] : [{ labels: { nodepool }, value: toSeconds(0, remainingMs) }],
    ),
  );
}
