import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster, ClusterObjects } from '../../../shared/ports/cluster.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import type { FaultPlan } from './fault-plan.ts';

/** The cluster as it was at a moment; `undefined` if that is not known. */
export type FindPast = (moment: EpochMs) => ClusterObjects | undefined;

const SAMPLE_MS = SECOND_MS / 2;

/** Keeps what `observe` shows twice a second, for as long as a fault may ask for it. */
export function keepPastObjects(
  observe: () => Promise<ClusterObjects>,
  clock: ConcurrentClock,
  { keepMs, until }: { readonly keepMs: number; readonly until: EpochMs },
): FindPast {
  const samples: { readonly at: EpochMs; readonly objects: ClusterObjects }[] = [];
  const sample = (): void => {
    const at = clock.now();
    void observe().then((objects) => {
      samples.push({ at, objects });
      while ((samples[0]?.at ?? at) < at - keepMs) samples.shift();
    });
    if (at < until) clock.startAfter(SAMPLE_MS, sample);
  };
  if (keepMs > 0) sample();
  return (moment) => samples.findLast(({ at }) => at <= moment)?.objects;
}

/** Shows whole observations as they were some seconds ago, if a fault says so. */
export const withStaleViews = (
  cluster: Cluster,
  { findPast, faults, now }: { findPast: FindPast; faults: FaultPlan; now: () => EpochMs },
): Cluster => ({
  ...cluster,
  async observe(scope) {
    const current = await cluster.observe(scope);
    const stale = faults.strike('stale-view');
    return (stale && findPast(now() - stale.ms)) ?? current;
  },
});
