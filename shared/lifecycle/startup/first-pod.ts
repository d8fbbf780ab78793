import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { type Pod, toOwnerUid } from '../../model/pods/pod.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Observed } from '../observed.ts';

const MIN_CHECK_MS = 15 * SECOND_MS;
/** A pod that has not started by then waits for something else than its node. */
const CHECK_WINDOW_MS = 10 * MINUTE_MS;

/**
 * Records when the first of the pods that the claim was made for ran on its node.
 *
 * @returns `claim` itself if nothing changed
 */
export function recordFirstPod(claim: NodeClaim, { firstPodRanAt }: Observed): NodeClaim {
  if (!awaitsFirstPod(claim) || firstPodRanAt === undefined) return claim;
  return { ...claim, podRunningAt: firstPodRanAt };
}

/** True if the claim was made for pods and none of them is known to have run. */
export const awaitsFirstPod = ({ initializedAt, podRunningAt, deletingAt, expects = {} }: NodeClaim): boolean =>
  initializedAt !== undefined &&
  podRunningAt === undefined &&
  deletingAt === undefined &&
  Object.keys(expects).length > 0;

/** Finds when the first of these pods ran that the claim was made for. */
export function findFirstRun({ expects = {} }: NodeClaim, pods: readonly Pod[]): EpochMs | undefined {
  const times = pods.flatMap((pod) => {
    const isExpected = ownValue(expects, toOwnerUid(pod)) !== undefined;
    return isExpected ? (pod.runningAt ?? []) : [];
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** No Event announces a running pod. Checks get rarer; the pod's status contains the exact time. */
export const computeNextFirstPodCheck = (claim: NodeClaim, now: EpochMs): EpochMs | undefined => {
  const sinceMs = now - (claim.initializedAt ?? now);
  return awaitsFirstPod(claim) && sinceMs < CHECK_WINDOW_MS ? now + Math.max(MIN_CHECK_MS, sinceMs) : undefined;
};
