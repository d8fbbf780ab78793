import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import { DAY_MS } from '../../model/time.ts';
import type { PodStore } from '../control-plane/pod-store.ts';

/** Statistics over all pods except DaemonSet pods. */
export interface PodStatistics {
  waitsMs(): readonly number[];
  ran(): number;
  podDays(at: EpochMs): number;
  created(): number;
  finished(): number;
}

export function watchPodStatistics(pods: PodStore, now: () => EpochMs): PodStatistics {
  const beganAt = now();
  const waits: number[] = [];
  let ran = 0;
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
    if (!isRunning(before) && isRunning(after)) start(pod, before);
    if (isRunning(before) && !isRunning(after)) stop(pod);
  });

  /** Time before the simulation does not count. */
  const runsSince = ({ startedAt = now() }: Pod): EpochMs => Math.max(startedAt, beganAt);

  /** @param before - undefined for a pod that ran when the simulation began */
  function start(pod: Pod, before: Pod | undefined): void {
    if (before) waits.push(runsSince(pod) - Math.max(pod.createdAt, beganAt));
    ran += 1;
    running += 1;
    startedSum += runsSince(pod);
  }

  function stop(pod: Pod): void {
    running -= 1;
    startedSum -= runsSince(pod);
    ranMs += now() - runsSince(pod);
  }

  return {
    waitsMs: () => waits,
    ran: () => ran,
    podDays: (at) => (ranMs + running * at - startedSum) / DAY_MS,
    created: () => created,
    finished: () => finished,
  };
}

const isRunning = (pod: Pod | undefined): boolean => pod?.phase === 'Running';
