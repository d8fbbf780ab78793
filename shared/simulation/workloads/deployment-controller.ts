import { type Labels, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Deployment, Workload } from '../../model/pods/workload.ts';
import { DAY_MS, type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import { putPod, terminatePod, workloadKey } from '../control-plane/api-server.ts';
import { BURST_PODS, type ControllerContext } from './controller-runtime.ts';
import { ownerReferenceOf } from './workload-owner.ts';

export function reconcileDeployment(
  { seed, clock, api, factory }: ControllerContext,
  deployment: Deployment,
): 'done' | 'more to do' {
  const { namespace, template, replicas } = deployment;
  const owner = ownerReferenceOf(seed, deployment);
  const active = [...api.pods.ofOwner(owner.uid).values()].filter(isActive);
  if (active.some((pod) => isOutdated(pod, deployment))) return rollOut();
  const missing = replicas - active.length;

  for (let created = 0; created < Math.min(missing, BURST_PODS); created += 1) {
    putPod(api.pods, factory.create({ namespace, template, owner }));
  }
  for (const pod of missing < 0 ? sortForScaleDown(active).slice(0, -missing) : []) {
    terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
  }
  return missing > BURST_PODS ? 'more to do' : 'done';

  /** Adds one pod of the latest template, and removes an old one when it is ready. */
  function rollOut(): 'done' {
    const updated = active.filter((pod) => !isOutdated(pod, deployment));
    const ready = active.filter((pod) => pod.ready);
    const old = sortForScaleDown(active.filter((pod) => isOutdated(pod, deployment)));
    const [first] = old;
    if (active.length <= replicas && updated.length < replicas) {
      putPod(api.pods, factory.create({ namespace, template, owner }));
    } else if (first && (!first.ready || ready.length > replicas)) {
      terminatePod(api.pods, first, clock.now(), first.spec.terminationGracePeriodMs);
    }
    return 'done';
  }
}

/** `kubectl rollout restart` writes it into the template of a Deployment. */
const RESTARTED_AT_ANNOTATION = 'kubectl.kubernetes.io/restartedAt';

/** True if the Deployment was restarted after it created the pod. */
export const isOutdated = ({ annotations }: Pod, { template }: Deployment): boolean =>
  annotations[RESTARTED_AT_ANNOTATION] !== template.annotations[RESTARTED_AT_ANNOTATION];

/** The Deployment with a template that differs from that of its pods. */
export const withRestart = (deployment: Deployment, at: EpochMs): Deployment => ({
  ...deployment,
  template: {
    ...deployment.template,
    annotations: {
      ...deployment.template.annotations,
      [RESTARTED_AT_ANNOTATION]: formatInstant(at),
    },
  },
});

/** Applies the replica schedule of a Deployment that has the annotation. */
export function scheduleReplicas(context: ControllerContext, workload: Workload): void {
  const steps = readReplicaSchedule(workload.annotations);
  if (workload.kind !== 'Deployment' || steps.length === 0) return;

  const { clock, api } = context;
  const key = workloadKey(workload);
  const applyStep = (): void => {
    const current = api.workloads.get(key);
    const replicas = replicasAt(steps, clock.now());
    const next = nextStepAt(steps, clock.now());
    if (current?.kind !== 'Deployment' || replicas === undefined || next === undefined) return;
    if (current.replicas !== replicas) api.workloads.put(key, { ...current, replicas });
    clock.schedule(next, applyStep);
  };
  clock.schedule(clock.now(), applyStep);
}

/**
 * Sorts pods in the order in which a ReplicaSet deletes them: waiting before running, low deletion
 * cost before high, pods on crowded nodes before others, young before old.
 *
 * @see kubernetes, controller_utils.go `ActivePodsWithRanks`
 */
export function sortForScaleDown(pods: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string | undefined, number>();
  for (const { nodeName } of pods) perNode.set(nodeName, (perNode.get(nodeName) ?? 0) + 1);
  const countOnNode = ({ nodeName }: Pod): number => perNode.get(nodeName) ?? 0;

  return pods.toSorted(
    (a, b) =>
      rank(a.nodeName !== undefined) - rank(b.nodeName !== undefined) ||
      rank(a.phase === 'Running') - rank(b.phase === 'Running') ||
      rank(a.ready) - rank(b.ready) ||
      readDeletionCost(a) - readDeletionCost(b) ||
      countOnNode(b) - countOnNode(a) ||
      b.createdAt - a.createdAt ||
      (a.name < b.name ? -1 : 1),
  );
}

const rank = (condition: boolean): number => (condition ? 1 : 0);

const readDeletionCost = ({ annotations }: Pod): number => {
  const cost = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
};

/** Replica counts by time of day (UTC), for example `00:00=20 07:00=80`. */
const REPLICAS_ANNOTATION = 'simulation.mortise.sh/replicas';

interface ReplicaStep {
  /** Milliseconds since midnight UTC. */
  readonly atMs: number;
  readonly replicas: number;
}

const STEP = /^(\d{1,2}):(\d{2})=(\d+)$/;

/** The steps in the order of the day; unreadable ones are ignored. */
export function readReplicaSchedule(annotations: Labels): readonly ReplicaStep[] {
  const words = (annotations[REPLICAS_ANNOTATION] ?? '').split(/[\s,]+/);
  return words
    .map((word) => STEP.exec(word))
    .filter((match) => match !== null)
    .map(([, hours, minutes, replicas]) => ({
      atMs: Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS,
      replicas: Number(replicas),
    }))
    .filter(({ atMs }) => atMs < DAY_MS)
    .toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * The replica count at `now`; before the first step of the day, the last step of the day before
 * applies.
 */
export function replicasAt(steps: readonly ReplicaStep[], now: EpochMs): number | undefined {
  const today = now % DAY_MS;
  return (steps.findLast(({ atMs }) => atMs <= today) ?? steps.at(-1))?.replicas;
}

/** Start time of the next step. */
export function nextStepAt(steps: readonly ReplicaStep[], now: EpochMs): EpochMs | undefined {
  const today = now % DAY_MS;
  const midnight = now - today;
  const next = steps.find(({ atMs }) => atMs > today);
  if (next) return midnight + next.atMs;
  const [first] = steps;
  return first && midnight + DAY_MS + first.atMs;
}
