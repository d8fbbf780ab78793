import type { Pod } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import { MINUTE_MS } from '../model/time.ts';
import type { Job } from '../model/workload.ts';
import { findSame, putPod, terminatePod } from './api-server.ts';
import { BURST_PODS, type ControllerTools } from './reconcile-queue.ts';
import { isActive } from './pod-store.ts';
import { drawBetween } from './random.ts';
import { ownerOf } from './workload-owner.ts';

const DEFAULT_RUN_MS = 2 * MINUTE_MS;

/** How long a finished pod stays to be looked at: `ttlSecondsAfterFinished`, of a kind. */
const KEPT_MS = 10 * MINUTE_MS;

export interface JobController {
  /** Pods that it is to have at a time, now that some have succeeded. */
  wants(job: Job): number;
  reconcile(job: Job): 'done' | 'more to do';
}

/** Keeps `parallelism` pods of each Job running until `completions` of them have succeeded. */
export function startJobController({ seed, clock, api, factory }: ControllerTools): JobController {
  const runMs = new Map<string, number>();
  const succeeded = new Map<string, number>();

  api.workloads.watch(({ after }) => {
    if (after?.kind !== 'Job') return;
    runMs.set(ownerOf(seed, after).uid, after.runForMs ?? DEFAULT_RUN_MS);
  });
  api.pods.watch(({ before, after }) => {
    const owner = after?.owner?.uid ?? '';
    const usualMs = runMs.get(owner);
    if (!after || usualMs === undefined || before?.phase === after.phase) return;
    if (after.phase === 'Running') finishLater(after, usualMs);
    if (after.phase === 'Succeeded') {
      succeeded.set(owner, (succeeded.get(owner) ?? 0) + 1);
      clock.schedule(clock.now() + KEPT_MS, () => api.pods.remove(podKey(after)));
    }
  });

  function finishLater(pod: Pod, usualMs: number): void {
    const takesMs = usualMs * drawBetween(seed, `run of ${pod.uid}`, 0.85, 1.15);
    clock.schedule(Math.round(clock.now() + takesMs), () => finish(pod));
  }

  function finish(pod: Pod): void {
    const stored = findSame(api.pods, pod);
    // `ready` goes with the node: a pod on a lost one never reports its end.
    if (stored?.phase !== 'Running' || !stored.ready) return;
    putPod(api.pods, { ...stored, phase: 'Succeeded', ready: false });
  }

  const wants = (job: Job): number => {
    const left = job.completions - (succeeded.get(ownerOf(seed, job).uid) ?? 0);
    return Math.min(job.parallelism, left);
  };

  return {
    wants,
    reconcile(job) {
      const { namespace, template } = job;
      const owner = ownerOf(seed, job);
      const active = [...api.pods.ofOwner(owner.uid).values()].filter(isActive);
      const missing = wants(job) - active.length;

      for (let made = 0; made < Math.min(missing, BURST_PODS); made += 1) {
        putPod(api.pods, factory.create({ namespace, template, owner }));
      }
      for (const pod of missing < 0 ? active.slice(missing) : []) {
        terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
      }
      return missing > BURST_PODS ? 'more to do' : 'done';
    },
  };
}
