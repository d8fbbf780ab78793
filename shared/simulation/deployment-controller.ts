import type { Deployment, Workload } from '../model/workload.ts';
import { putPod, terminatePod, workloadKey } from './api-server.ts';
import type { ControllerTools } from './controller-tools.ts';
import { BURST_PODS } from './controller-tools.ts';
import { isActive } from './pod-store.ts';
import { nextStepAt, readReplicaSchedule, replicasAt } from './replica-schedule.ts';
import { firstToGo } from './scale-down-order.ts';
import { ownerOf } from './workload-owner.ts';

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
