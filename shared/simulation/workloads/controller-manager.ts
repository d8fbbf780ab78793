import { getOrCreate } from '../../model/memo.ts';
import { isActive, isTerminal } from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodSpec, type PodTemplate, podKey } from '../../model/pods/pod.ts';
import type { Job, PodOwner, StatefulSet, Workload } from '../../model/pods/workload.ts';
import { drawBetween } from '../../model/random.ts';
import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { type ApiServer, findCurrentPod, putPod, terminatePod, workloadKey } from '../control-plane/api-server.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { VirtualClock } from '../world.ts';
import {
  BURST_INTERVAL_MS,
  BURST_PODS,
  type ControllerContext,
  createReconcileQueue,
  REACTION_MS,
} from './controller-runtime.ts';
import { startDaemonSetController } from './daemon-set-controller.ts';
import { reconcileDeployment, scheduleReplicas } from './deployment-controller.ts';
import { createPodFactory } from './pod-factory.ts';
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

/**
 * Creates and deletes one pod at a time in ordinal order: a pod is created when all lower ordinals
 * are ready, the highest ordinal is deleted first, and a name is reused only after its pod is gone.
 */
function reconcileStatefulSet({ seed, clock, api, factory }: ControllerContext, set: StatefulSet): 'done' {
  const { namespace, replicas } = set;
  const owner = ownerReferenceOf(seed, set);
  const podName = (ordinal: number): string => `${set.name}-${ordinal}`;
  const find = (ordinal: number): Pod | undefined => api.pods.get(podKey({ namespace, name: podName(ordinal) }));

  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = find(ordinal);
    if (!pod) create(podName(ordinal));
    else if (isTerminal(pod) && pod.deletionAt === undefined) api.pods.remove(podKey(pod));
    if (!pod?.ready || pod.deletionAt !== undefined) return 'done';
  }

  const excess = [...api.pods.ofOwner(owner.uid).values()]
    .filter(({ name }) => ordinalOf(name) >= replicas)
    .toSorted((a, b) => ordinalOf(b.name) - ordinalOf(a.name));
  const [last] = excess;
  if (last && last.deletionAt === undefined) {
    terminatePod(api.pods, last, clock.now(), last.spec.terminationGracePeriodMs);
  }
  return 'done';

  function create(name: string): void {
    for (const { name: volume, ...claim } of set.volumeClaimTemplates ?? []) {
      api.storage.createClaim({ ...claim, namespace, name: `${volume}-${name}` });
    }
    const template = withOwnClaims(set, name);
    putPod(api.pods, factory.create({ namespace, template, owner }, name));
  }
}

// Pods of one class share a spec, so a pod that comes again must get the same one.
const templates = new WeakMap<PodSpec, Map<string, PodSpec>>();

/** Adds the claims that only the pod of this name has. */
function withOwnClaims({ template, volumeClaimTemplates = [] }: StatefulSet, pod: string): PodTemplate {
  if (volumeClaimTemplates.length === 0) return template;
  const own = volumeClaimTemplates.map(({ name }) => `${name}-${pod}`);
  const ofTemplate = getOrCreate(templates, template.spec, () => new Map());
  const spec = getOrCreate(ofTemplate, pod, () => ({
    ...template.spec,
    volumeClaims: [...template.spec.volumeClaims, ...own],
  }));
  return { ...template, spec };
}

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1));

const DEFAULT_RUN_MS = 2 * MINUTE_MS;

/** How long a finished pod is kept, like `ttlSecondsAfterFinished`. */
const FINISHED_TTL_MS = 10 * MINUTE_MS;

interface JobController {
  /** Pods that should run now, given the completions so far. */
  desiredActive(job: Job): number;
  reconcile(job: Job): 'done' | 'more to do';
}

/** Keeps `parallelism` pods of each Job running until `completions` of them have succeeded. */
function startJobController({ seed, clock, api, factory }: ControllerContext): JobController {
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
