import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import { DAY_MS } from '../../model/time.ts';
import type { PodStore } from '../control-plane/pod-store.ts';

/** Statistics over all pods except DaemonSet pods. */
export interface PodStatistics {
  waitsMs(): readonly number[];
  podDays(at: EpochMs): number;
  created(): number;
  finished(): number;
}

export function watchPodStatistics(pods: PodStore, now: () => EpochMs): PodStatistics {
  const waits: number[] = [];
  let created = 0;
  let finished = 0;
  let running = 0;
  /** Start times of running pods summed up, and run times of pods that have stopped. */
  let startedSum = 0;
  let ranMs = 0;

  pods.watch(({ before, after }) => {
    const pod = after ?? before;
    if (!pod || isDaemon(pod)) return;
    if (!before) created += 1;
    if (after && before?.phase !== 'Succeeded' && after.phase === 'Succeeded') finished += 1;
    if (!isRunning(before) && isRunning(after)) start(pod);
    if (isRunning(before) && !isRunning(after)) stop(pod);
  });

  function start({ createdAt, startedAt = now() }: Pod): void {
    waits.push(startedAt - createdAt);
    running += 1;
    startedSum += startedAt;
  }

  function stop({ startedAt = now() }: Pod): void {
    running -= 1;
    startedSum -= startedAt;
    ranMs += now() - startedAt;
  }

  return {
    waitsMs: () => waits,
    podDays: (at) => (ranMs + running * at - startedSum) / DAY_MS,
    created: () => created,
    finished: () => finished,
  };
}

const isRunning = (pod: Pod | undefined): boolean => pod?.phase === 'Running';
