import { isActive } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { Job } from '../../model/pods/workload.ts';
import { drawBetween } from '../../model/random.ts';
import { MINUTE_MS } from '../../model/time.ts';
import { findCurrentPod, putPod, terminatePod } from '../control-plane/api-server.ts';
import { BURST_PODS, type ControllerContext } from './controller-runtime.ts';
import { ownerReferenceOf } from './workload-owner.ts';

const DEFAULT_RUN_MS = 2 * MINUTE_MS;

/** How long a finished pod is kept, like `ttlSecondsAfterFinished`. */
const FINISHED_TTL_MS = 10 * MINUTE_MS;

export interface JobController {
  /** Pods that should run now, given the completions so far. */
  desiredActive(job: Job): number;
  reconcile(job: Job): 'done' | 'more to do';
}

/** Keeps `parallelism` pods of each Job running until `completions` of them have succeeded. */
export function startJobController({ seed, clock, api, factory }: ControllerContext): JobController {
  const runMs = new Map<string, number>();
  const succeeded = new Map<string, number>();

  api.workloads.watch(({ after }) => {
    if (after?.kind !== 'Job') return;
    runMs.set(ownerReferenceOf(seed, after).uid, after.runForMs ?? DEFAULT_RUN_MS);
  });
  api.pods.watch(({ before, after }) => {
    const owner = after?.owner?.uid ?? '';
    const typicalMs = runMs.get(owner);
    if (!after || typicalMs === undefined || before?.phase === after.phase) return;
    if (after.phase === 'Running') scheduleFinish(after, typicalMs);
    if (after.phase === 'Succeeded') {
      succeeded.set(owner, (succeeded.get(owner) ?? 0) + 1);
      clock.schedule(clock.now() + FINISHED_TTL_MS, () => api.pods.remove(podKey(after)));
    }
  });

  function scheduleFinish(pod: Pod, typicalMs: number): void {
    const takesMs = typicalMs * drawBetween(seed, `run of ${pod.uid}`, 0.85, 1.15);
    clock.schedule(Math.round(clock.now() + takesMs), () => finish(pod));
  }

  function finish(pod: Pod): void {
    const stored = findCurrentPod(api.pods, pod);
    // A lost node clears `ready`; its pods never report success.
    if (stored?.phase !== 'Running' || !stored.ready) return;
    putPod(api.pods, { ...stored, phase: 'Succeeded', ready: false });
  }

  const desiredActive = (job: Job): number => {
    const remaining = job.completions - (succeeded.get(ownerReferenceOf(seed, job).uid) ?? 0);
    return Math.min(job.parallelism, remaining);
  };

  return {
    desiredActive,
    reconcile(job) {
      const { namespace, template } = job;
      const owner = ownerReferenceOf(seed, job);
      const active = [...api.pods.ofOwner(owner.uid).values()].filter(isActive);
      const missing = desiredActive(job) - active.length;

      for (let created = 0; created < Math.min(missing, BURST_PODS); created += 1) {
        putPod(api.pods, factory.create({ namespace, template, owner }));
      }
      for (const pod of missing < 0 ? active.slice(missing) : []) {
        terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
      }
      return missing > BURST_PODS ? 'more to do' : 'done';
    },
  };
}
