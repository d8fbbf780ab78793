import type { Labels } from '../../model/labels.ts';
import type { EpochMs } from '../../model/time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/time.ts';

/** Replica counts by time of day (UTC), for example `00:00=20 07:00=80`. */
const REPLICAS_ANNOTATION = 'simulation.mortise.sh/replicas';

export interface ReplicaStep {
  /** Milliseconds since midnight UTC. */
  readonly atMs: number;
  readonly replicas: number;
}

const STEP = /^(\d{1,2}):(\d{2})=(\d+)$/;

/** The steps in the order of the day; unreadable ones are ignored. */
export function readReplicaSchedule(annotations: Labels): readonly ReplicaStep[] {
  const words = (annotations[REPLICAS_ANNOTATION] ?? '').split(/[\s,]+/);
  return words
    .map((word) => STEP.exec(word))
    .filter((match) => match !== null)
    .map(([, hours, minutes, replicas]) => ({
      atMs: Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS,
      replicas: Number(replicas),
    }))
    .filter(({ atMs }) => atMs < DAY_MS)
    .toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * The replica count at `now`; before the first step of the day, the last step of the day before
 * applies.
 */
export function replicasAt(steps: readonly ReplicaStep[], now: EpochMs): number | undefined {
  const today = now % DAY_MS;
  return (steps.findLast(({ atMs }) => atMs <= today) ?? steps.at(-1))?.replicas;
}

/** Start time of the next step. */
export function nextStepAt(steps: readonly ReplicaStep[], now: EpochMs): EpochMs | undefined {
  const today = now % DAY_MS;
  const midnight = now - today;
  const next = steps.find(({ atMs }) => atMs > today);
  if (next) return midnight + next.atMs;
  const [first] = steps;
  return first && midnight + DAY_MS + first.atMs;
}
