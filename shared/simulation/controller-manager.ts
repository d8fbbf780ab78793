import type { PodOwner } from '../model/pod-owner.ts';
import type { Workload } from '../model/workload.ts';
import { type ApiServer, workloadKey } from './api-server.ts';
import { type ControllerTools, createReconcileQueue, PACE_MS, REACTION_MS } from './reconcile-queue.ts';
import { startDaemonSetController } from './daemon-set-controller.ts';
import { reconcileDeployment, scheduleReplicas } from './deployment-controller.ts';
import { type JobController, startJobController } from './job-controller.ts';
import { createPodFactory } from './pod-factory.ts';
import type { Scheduler } from './scheduler.ts';
import { reconcileStatefulSet } from './stateful-set-controller.ts';
import { ownerOf, podOwnerOf } from './workload-owner.ts';
import type { VirtualClock } from './world.ts';
import { podKey } from '../model/pod.ts';
import { SECOND_MS } from '../model/time.ts';

/** What keeps the pods of all workloads as their specs ask. */
export interface ControllerManager {
  /** What pods name as their owners, and how many pods each is to have now. */
  owners(): readonly PodOwner[];
}

/** Keeps the pods of all workloads as their specs ask. */
export function startControllerManager(
  seed: number,
  clock: VirtualClock,
  api: ApiServer,
  scheduler: Scheduler,
): ControllerManager {
  const tools = { seed, clock, api, factory: createPodFactory(seed, api.pods, clock.now) };
  const keyOfOwner = new Map<string, string>();
  startDaemonSetController(tools, scheduler);
  const jobs = startJobController(tools);
  const look = (key: string): void => {
    const workload = api.workloads.get(key);
    if (workload && reconcile(tools, jobs, workload) === 'more to do') {
      queue.request(key, REACTION_MS);
    }
  };
  const queue = createReconcileQueue(clock, look, PACE_MS);
  startPodGarbageCollection(clock, api);
  api.workloads.watch(({ before, after }) => {
    if (!after) return;
    keyOfOwner.set(ownerOf(seed, after).uid, workloadKey(after));
    if (!before) scheduleReplicas(tools, after);
    queue.request(workloadKey(after), REACTION_MS);
  });
  api.pods.watch(({ before, after }) => {
    const key = keyOfOwner.get((after ?? before)?.owner?.uid ?? '');
    if (key !== undefined) queue.request(key, REACTION_MS);
  });
  return {
    owners: () =>
      api.workloads.list().flatMap((workload) => podOwnerOf(seed, workload, jobs.wants)),
  };
}

function reconcile(
  tools: ControllerTools,
  jobs: JobController,
  workload: Workload,
): 'done' | 'more to do' {
  switch (workload.kind) {
    case 'Deployment':
      return reconcileDeployment(tools, workload);
    case 'StatefulSet':
      return reconcileStatefulSet(tools, workload);
    case 'Job':
      return jobs.reconcile(workload);
    // Works node by node: daemon-set-controller.ts.
    case 'DaemonSet':
      return 'done';
  }
}

/** How long pods outlive their Node object: the period of the pod garbage collector. */
const COLLECTED_AFTER_MS = 20 * SECOND_MS;

/** Removes pods that are bound to a Node which is no more. */
function startPodGarbageCollection(clock: VirtualClock, api: ApiServer): void {
  api.nodes.watch(({ before, after }) => {
    if (after || !before) return;
    clock.schedule(clock.now() + COLLECTED_AFTER_MS, () => {
      if (api.nodes.get(before.name)) return;
      for (const pod of [...api.pods.onNode(before.name).values()]) api.pods.remove(podKey(pod));
    });
  });
}
