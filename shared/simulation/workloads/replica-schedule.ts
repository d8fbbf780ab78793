import type { Labels } from '../../model/labels.ts';
import type { EpochMs } from '../../model/time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/time.ts';

/** `00:00=20 07:00=80`: from then on each day (UTC), this many replicas. */
const REPLICAS_ANNOTATION = 'simulation.mortise.sh/replicas';

export interface ReplicaStep {
  /** Since midnight UTC. */
  readonly atMs: number;
  readonly replicas: number;
}

const STEP = /^(\d{1,2}):(\d{2})=(\d+)$/;

/** The steps in the order of the day; what cannot be read is left out. */
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

/** What the schedule asks for at `now`: the latest step, that of the day before at night. */
export function replicasAt(steps: readonly ReplicaStep[], now: EpochMs): number | undefined {
  const today = now % DAY_MS;
  return (steps.findLast(({ atMs }) => atMs <= today) ?? steps.at(-1))?.replicas;
}

/** When the next step begins. */
export function nextStepAt(steps: readonly ReplicaStep[], now: EpochMs): EpochMs | undefined {
  const today = now % DAY_MS;
  const midnight = now - today;
  const next = steps.find(({ atMs }) => atMs > today);
  if (next) return midnight + next.atMs;
  const [first] = steps;
  return first && midnight + DAY_MS + first.atMs;
}
