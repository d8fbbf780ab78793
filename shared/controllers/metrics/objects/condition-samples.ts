import { type EpochMs, SECOND_MS } from '../../../model/time.ts';
import type { TrackedCondition } from './condition-tracker.ts';

interface ConditionLabels {
  readonly name: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** A condition, and further labels of the object that has it. */
export interface LabelledCondition<L> {
  readonly condition: TrackedCondition;
  readonly labels: L;
}

const toLabels = ({ name, type, status, reason }: TrackedCondition): ConditionLabels => ({
  name,
  type,
  status,
  reason,
});

/** One sample of value 1 for each condition. */
export const toCounts = <L>(all: readonly LabelledCondition<L>[]) =>
  all.map(({ condition, labels }) => ({ labels: { ...toLabels(condition), ...labels }, value: 1 }));

/** How long each condition has had its status. */
export const toAges = <L>(all: readonly LabelledCondition<L>[], now: EpochMs) =>
  all.map(({ condition, labels }) => ({
    labels: { ...toLabels(condition), ...labels },
    value: toSeconds(condition.since, now),
  }));

export const toSeconds = (from: EpochMs, to: EpochMs): number => Math.max(to - from, 0) / SECOND_MS;
