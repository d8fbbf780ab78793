import type { NodePoolStatus } from '../../../model/nodes/reported-status.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { NodeClassObject } from '../../../ports/node-classes.ts';
import type { Telemetry } from '../../../ports/ports.ts';
import { toAges, toCounts, toSeconds } from './condition-samples.ts';
import {
  type ConditionTracker,
  createConditionTracker,
  type TrackedObject,
  type Transition,
} from './condition-tracker.ts';

type Kind = 'nodepool' | 'ec2nodeclass';

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
    for (const transition of pools.observe([...statuses.values()], now)) recordTransition('nodepool', transition);
  }

  function recordTransition(kind: Kind, { before, after }: Transition<TrackedObject>): void {
    const { type, status, reason, since } = after;
    telemetry.count(`operator_${kind}_status_condition_transitions_total`, { type, status, reason });
    telemetry.observe(
      `operator_${kind}_status_condition_transition_seconds`,
      { type, status: before.status, to_status: status },
      toSeconds(before.since, since),
    );
  }

  function gaugeConditions(kind: Kind, tracker: ConditionTracker<TrackedObject>, now: EpochMs): void {
    const conditions = tracker.list().map(({ condition }) => ({ condition, labels: {} }));
    telemetry.gauge(`operator_${kind}_status_condition_count`, toCounts(conditions));
    telemetry.gauge(`operator_${kind}_status_condition_current_status_seconds`, toAges(conditions, now));
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
      for (const transition of classes.observe(objects, now)) recordTransition('ec2nodeclass', transition);
    },
    gauge(now) {
      observePools(now);
      gaugeRollouts(telemetry, rollouts);
      gaugeConditions('nodepool', pools, now);
      gaugeConditions('ec2nodeclass', classes, now);
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
