import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { memoize } from '../../model/memo.ts';
import type { ProvisioningPlan, Unplaced } from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, type PodSpec, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import { formatInstant } from '../../model/time.ts';
import type { HeldBackPods } from '../../ports/decision-log.ts';
import type { PlannerPause } from '../../ports/planning-state.ts';
import { createDeferredEntry } from '../../scheduling/create-plan.ts';
import { toSubjectKey } from '../planning-attempts/bisect.ts';

/** The pods that a plan is about, by the key of their workload. */
export function groupByWorkloadKey(snapshot: ClusterSnapshot): ReadonlyMap<string, readonly Pod[]> {
  const leaving = listLeavingNodes(snapshot);
  const planned = snapshot.pods.filter(
    (pod) => isProvisionable(pod) || (pod.nodeName !== undefined && leaving.has(pod.nodeName)),
  );
  return Map.groupBy(planned, toWorkloadKey);
}

function toWorkloadKey(pod: Pod): string {
  return toSubjectKey(`${pod.namespace} ${toOwnerUid(pod)} ${toTemplateText(pod.spec)}`);
}

/** The names of claims differ between the pods of a StatefulSet. */
const toTemplateText = memoize(({ volumeClaims, deviceClaims: _, ...template }: PodSpec): string =>
  JSON.stringify({ ...template, volumes: volumeClaims.length }),
);

/** True if pods have to move because their node is about to go. */
export const isAnyNodeLeaving = (snapshot: ClusterSnapshot): boolean =>
  snapshot.claims.some(({ deletingAt }) => deletingAt !== undefined) || listLeavingNodes(snapshot).size > 0;

const listLeavingNodes = ({ claims, nodes }: ClusterSnapshot): ReadonlySet<string> =>
  new Set([
    ...claims.flatMap(({ deletingAt, nodeName }) =>
      deletingAt === undefined || nodeName === undefined ? [] : [nodeName],
    ),
    ...nodes
      .filter(({ taints }) => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)))
      .map(({ name }) => name),
  ]);

/** Removes the pods that a plan must not look at. */
export const withoutHeldBackPods = (snapshot: ClusterSnapshot, heldBack: HeldBackPods | undefined): ClusterSnapshot =>
  heldBack ? withoutPods(snapshot, [...heldBack.deferred, ...heldBack.setAside.flatMap(({ pods }) => pods)]) : snapshot;

export function withoutPods(snapshot: ClusterSnapshot, podKeys: readonly PodKey[]): ClusterSnapshot {
  const removed = new Set(podKeys);
  return { ...snapshot, pods: snapshot.pods.filter((pod) => !removed.has(podKey(pod))) };
}

/** Reports the pods that the plan did not look at as unplaced. */
export function addHeldBackPods(
  plan: ProvisioningPlan,
  heldBack: HeldBackPods | undefined,
  { pools }: ClusterSnapshot,
): ProvisioningPlan {
  if (!heldBack) return plan;
  const { deferred, setAside, pause } = heldBack;
  const refuse = (
    code: 'planning-failed' | 'planning-paused',
    pods: readonly PodKey[],
    { failures, until }: PlannerPause,
  ): Unplaced => {
    const reasons = [{ code, fields: { failures: `${failures}`, until: formatInstant(until) } }];
    return { pods, pools: pools.map(({ name }) => ({ pool: name, reasons })), nodes: [] };
  };
  const excluded = setAside.map((failed) => refuse('planning-failed', failed.pods, failed));
  if (deferred.length === 0) return { ...plan, unplaced: [...plan.unplaced, ...excluded] };
  const waiting = pause ? refuse('planning-paused', deferred, pause) : createDeferredEntry(deferred, { pools });
  return { ...plan, unplaced: [...plan.unplaced, ...excluded, waiting] };
}
