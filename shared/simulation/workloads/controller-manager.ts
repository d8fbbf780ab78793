import { podKey } from '../../model/pods/pod.ts';
import type { PodOwner, Workload } from '../../model/pods/workload.ts';
import { SECOND_MS } from '../../model/time.ts';
import { type ApiServer, workloadKey } from '../control-plane/api-server.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { VirtualClock } from '../world.ts';
import { BURST_INTERVAL_MS, type ControllerContext, createReconcileQueue, REACTION_MS } from './controller-runtime.ts';
import { startDaemonSetController } from './daemon-set-controller.ts';
import { reconcileDeployment, scheduleReplicas } from './deployment-controller.ts';
import { type JobController, startJobController } from './job-controller.ts';
import { createPodFactory } from './pod-factory.ts';
import { reconcileStatefulSet } from './stateful-set-controller.ts';
import { ownerReferenceOf, toPodOwners } from './workload-owner.ts';

/** The running controllers of the simulated kube-controller-manager. */
export interface ControllerManager {
  /** Pod owners with the number of pods that each one wants now. */
  owners(): readonly PodOwner[];
  /** The uid of the owner of its pods. */
  ownerUidOf(workload: Workload): string;
}

/** Keeps the pods of all workloads as their specs demand. */
export function startControllerManager(
  seed: number,
  clock: VirtualClock,
  api: ApiServer,
  scheduler: Scheduler,
): ControllerManager {
  const context = { seed, clock, api, factory: createPodFactory(seed, api.pods, clock.now) };
  const workloadByOwner = new Map<string, string>();
  startDaemonSetController(context, scheduler);
  const jobs = startJobController(context);
  const reconcileKey = (key: string): void => {
    const workload = api.workloads.get(key);
    if (workload && reconcile(context, jobs, workload) === 'more to do') {
      queue.request(key, REACTION_MS);
    }
  };
  const queue = createReconcileQueue(clock, reconcileKey, BURST_INTERVAL_MS);
  startPodGarbageCollection(clock, api);
  api.workloads.watch(({ before, after }) => {
    if (!after) return;
    workloadByOwner.set(ownerReferenceOf(seed, after).uid, workloadKey(after));
    if (!before) scheduleReplicas(context, after);
    queue.request(workloadKey(after), REACTION_MS);
  });
  api.pods.watch(({ before, after }) => {
    const key = workloadByOwner.get((after ?? before)?.owner?.uid ?? '');
    if (key !== undefined) queue.request(key, REACTION_MS);
  });
  return {
    ownerUidOf: (workload) => ownerReferenceOf(seed, workload).uid,
    owners: () => api.workloads.list().flatMap((workload) => toPodOwners(seed, workload, jobs.desiredActive)),
  };
}

function reconcile(context: ControllerContext, jobs: JobController, workload: Workload): 'done' | 'more to do' {
  switch (workload.kind) {
    case 'Deployment':
      return reconcileDeployment(context, workload);
    case 'StatefulSet':
      return reconcileStatefulSet(context, workload);
    case 'Job':
      return jobs.reconcile(workload);
    // Reconciled per node: daemon-set-controller.ts.
    case 'DaemonSet':
      return 'done';
  }
}

/** Period of the pod garbage collector. */
const POD_GC_PERIOD_MS = 20 * SECOND_MS;

/** Removes pods that are bound to a deleted Node. */
function startPodGarbageCollection(clock: VirtualClock, api: ApiServer): void {
  api.nodes.watch(({ before, after }) => {
    if (after || !before) return;
    clock.schedule(clock.now() + POD_GC_PERIOD_MS, () => {
      if (api.nodes.get(before.name)) return;
      for (const pod of [...api.pods.onNode(before.name).values()]) api.pods.remove(podKey(pod));
    });
  });
}
