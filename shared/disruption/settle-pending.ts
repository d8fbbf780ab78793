import { type Pod, type PodKey, podKey } from '../model/pod.ts';
import { anticipatedPods } from '../scheduling/pods/anticipated-pods.ts';
import { assignBatch } from '../scheduling/assignment/assign-batch.ts';
import { withExpected } from '../scheduling/input/expected-pods.ts';
import { podsToPlace } from '../scheduling/input/plan-batch.ts';
import { podTaker } from '../scheduling/pods/pod-classes.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { addTimes, toVector } from '../scheduling/data-structures/resource-vectors.ts';

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
  const expected = withExpected(problem, batch);
  const { placed } = assignBatch(expected.problem, expected.rest);
  const byKey = new Map(batch.map((pod) => [podKey(pod), pod]));
  const take = podTaker();
  const podsOf = (keys: readonly PodKey[]): Pod[] => keys.flatMap((key) => byKey.get(key) ?? []);
  const awaited = new Map(expected.placements.map(({ target, pods }) => [target, podsOf(pods)]));
  const bins = expected.problem.bins.map((bin) => {
    const here = placed.get(bin);
    if (!here) return bin;
    const free = bin.free.slice();
    for (const [{ spec }, count] of here) {
      addTimes(free, toVector(problem.columns, spec.requests), -count);
    }
    const keys = [...here].flatMap(([cls, count]) => take(cls, count));
    awaited.set(bin.name, [...(awaited.get(bin.name) ?? []), ...podsOf(keys)]);
    return { ...bin, free };
  });
  return { problem: { ...expected.problem, bins }, awaited };
}
