import { type Pod, podKey } from '../model/pod.ts';
import { anticipatedPods } from '../scheduling/anticipation/anticipation.ts';
import { podTaker } from '../scheduling/plan-provisioning.ts';
import { podsToPlace } from '../scheduling/pods/batch.ts';
import type { Problem } from '../scheduling/problem.ts';
import { assignBatch } from '../scheduling/solve.ts';
import { addTimes, toVector } from '../scheduling/vectors.ts';

/** A problem whose pending pods have taken their room, and which of them each bin awaits, by name. */
export interface Settled {
  readonly problem: Problem;
  readonly awaited: ReadonlyMap<string, readonly Pod[]>;
}

/**
 * The problem with the room taken that pending pods, pods still to be created, and pods of leaving
 * nodes are about to use: a node that looks half empty may be spoken for.
 */
export function withPendingSettled(problem: Problem): Settled {
  const batch = [...podsToPlace(problem), ...anticipatedPods(problem.snapshot)];
  if (batch.length === 0) return { problem, awaited: new Map() };
  const { placed } = assignBatch(problem, batch);
  const byKey = new Map(batch.map((pod) => [podKey(pod), pod]));
  const take = podTaker();
  const awaited = new Map<string, readonly Pod[]>();
  const bins = problem.bins.map((bin) => {
    const here = placed.get(bin);
    if (!here) return bin;
    const free = bin.free.slice();
    for (const [{ spec }, count] of here) {
      addTimes(free, toVector(problem.columns, spec.requests), -count);
    }
    const keys = [...here].flatMap(([cls, count]) => take(cls, count));
    awaited.set(
      bin.name,
      keys.flatMap((key) => byKey.get(key) ?? []),
    );
    return { ...bin, free };
  });
  return { problem: { ...problem, bins }, awaited };
}
