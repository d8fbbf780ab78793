import type { Pod } from '../model/pod.ts';
import { MINUTE_MS } from '../model/time.ts';
import type { Job } from '../model/workload.ts';
import { findSame, putPod, terminatePod } from './api-server.ts';
import type { ControllerTools } from './controller-tools.ts';
import { BURST_PODS } from './controller-tools.ts';
import { isActive } from './pod-store.ts';
import { drawBetween } from './random.ts';
import { ownerOf } from './workload-owner.ts';

const DEFAULT_RUN_MS = 2 * MINUTE_MS;

/** Keeps `parallelism` pods running until `completions` of them have succeeded. */
export function reconcileJob(
  { seed, clock, api, factory }: ControllerTools,
  job: Job,
): 'done' | 'more to do' {
  const { namespace, template, completions, parallelism } = job;
  const owner = ownerOf(seed, job);
  const pods = [...api.pods.ofOwner(owner.uid).values()];
  const active = pods.filter(isActive);
  const left = completions - pods.filter(({ phase }) => phase === 'Succeeded').length;
  const missing = Math.min(parallelism, left) - active.length;

  for (let made = 0; made < Math.min(missing, BURST_PODS); made += 1) {
    putPod(api.pods, factory.create({ namespace, template, owner }));
  }
  for (const pod of missing < 0 ? active.slice(missing) : []) {
    terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
  }
  return missing > BURST_PODS ? 'more to do' : 'done';
}

/** Ends each Job's pod when its work is done. */
export function startJobClock({ seed, clock, api }: ControllerTools): void {
  const runMs = new Map<string, number>();
  api.workloads.watch(({ after }) => {
    if (after?.kind !== 'Job') return;
    runMs.set(ownerOf(seed, after).uid, after.runForMs ?? DEFAULT_RUN_MS);
  });

  api.pods.watch(({ before, after }) => {
    const usualMs = runMs.get(after?.owner?.uid ?? '');
    if (!after || usualMs === undefined || before?.phase === 'Running') return;
    if (after.phase !== 'Running') return;
    const takesMs = usualMs * drawBetween(seed, `run of ${after.uid}`, 0.85, 1.15);
    clock.schedule(Math.round(clock.now() + takesMs), () => finish(after));
  });

  function finish(pod: Pod): void {
    const stored = findSame(api.pods, pod);
    // `ready` goes with the node: a pod on a lost one never reports its end.
    if (stored?.phase !== 'Running' || !stored.ready) return;
    putPod(api.pods, { ...stored, phase: 'Succeeded', ready: false });
  }
}
