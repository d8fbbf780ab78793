import type { Deployment, Workload } from '../model/workload.ts';
import { putPod, terminatePod, workloadKey } from './api-server.ts';
import { BURST_PODS, type ControllerTools } from './reconcile-queue.ts';
import { isActive } from './pod-store.ts';
import { nextStepAt, readReplicaSchedule, replicasAt } from './replica-schedule.ts';
import { ownerOf } from './workload-owner.ts';
import { POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import type { Pod } from '../model/pod.ts';

export function reconcileDeployment(
  { seed, clock, api, factory }: ControllerTools,
  deployment: Deployment,
): 'done' | 'more to do' {
  const { namespace, template, replicas } = deployment;
  const owner = ownerOf(seed, deployment);
  const active = [...api.pods.ofOwner(owner.uid).values()].filter(isActive);
  const missing = replicas - active.length;

  for (let made = 0; made < Math.min(missing, BURST_PODS); made += 1) {
    putPod(api.pods, factory.create({ namespace, template, owner }));
  }
  for (const pod of missing < 0 ? firstToGo(active).slice(0, -missing) : []) {
    terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
  }
  return missing > BURST_PODS ? 'more to do' : 'done';
}

/** Follows the replica schedule of a Deployment that has one. */
export function scheduleReplicas(tools: ControllerTools, workload: Workload): void {
  const steps = readReplicaSchedule(workload.annotations);
  if (workload.kind !== 'Deployment' || steps.length === 0) return;

  const { clock, api } = tools;
  const key = workloadKey(workload);
  const step = (): void => {
    const current = api.workloads.get(key);
    const replicas = replicasAt(steps, clock.now());
    const next = nextStepAt(steps, clock.now());
    if (current?.kind !== 'Deployment' || replicas === undefined || next === undefined) return;
    if (current.replicas !== replicas) api.workloads.put(key, { ...current, replicas });
    clock.schedule(next, step);
  };
  clock.schedule(clock.now(), step);
}

/**
 * The order in which a ReplicaSet gives up pods: waiting before running, cheap to delete before
 * dear, crowded nodes before others, young before old.
 *
 * @see kubernetes, controller_utils.go `ActivePodsWithRanks`
 */
export function firstToGo(pods: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string | undefined, number>();
  for (const { nodeName } of pods) perNode.set(nodeName, (perNode.get(nodeName) ?? 0) + 1);
  const crowd = ({ nodeName }: Pod): number => perNode.get(nodeName) ?? 0;

  return pods.toSorted(
    (a, b) =>
      rank(a.nodeName !== undefined) - rank(b.nodeName !== undefined) ||
      rank(a.phase === 'Running') - rank(b.phase === 'Running') ||
      rank(a.ready) - rank(b.ready) ||
      deletionCost(a) - deletionCost(b) ||
      crowd(b) - crowd(a) ||
      b.createdAt - a.createdAt ||
      (a.name < b.name ? -1 : 1),
  );
}

const rank = (holds: boolean): number => (holds ? 1 : 0);

const deletionCost = ({ annotations }: Pod): number => {
  const cost = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
};
