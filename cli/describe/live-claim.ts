import { NODE_CLAIMS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readObject } from '../../shared/kubernetes/client/read-object.ts';
import { readNodeClaim } from '../../shared/kubernetes/readers/read-node-claim.ts';
import { isObjectMissing } from '../../shared/kubernetes/writers/stored-node-claim.ts';
import type { ClaimTimes } from '../../shared/lifecycle/claim-timeline.ts';
import type { NodeClaimObject, ObjectCondition } from '../../shared/model/nodes/node-claim-object.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { listPods } from '../cluster/live-objects.ts';

/** Reads a NodeClaim; `undefined` if there is none, or if it belongs to another provider. */
export async function readLiveClaim(api: KubernetesApi, name: string): Promise<NodeClaimObject | undefined> {
  const reading = readNodeClaim(await readObject(api, NODE_CLAIMS, { name }, isObjectMissing));
  return reading.outcome === 'read' ? reading.value : undefined;
}

/** Pods that run on every node, so that no node is launched for them. */
const PER_NODE_OWNERS: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

/** Lists the times of the pods on a node, without those of DaemonSets and static pods. */
export async function listPodTimes(api: KubernetesApi, node: string): Promise<readonly PodTimes[]> {
  const pods = await listPods(api, { fieldSelector: `spec.nodeName=${node}` });
  return pods.filter(({ owner }) => !PER_NODE_OWNERS.has(owner?.kind ?? ''));
}

type PodTimes = Pick<Pod, 'createdAt' | 'runningAt'>;

/**
 * Derives the times of a claim from its object and the pods on its node. They are exact to the
 * second, and the pods are those that still run.
 */
export function toClaimTimes(claim: NodeClaimObject, pods: readonly PodTimes[]): ClaimTimes {
  const { createdAt, deletionAt, conditions } = claim;
  const reached = (type: string) => findSince(conditions, type, 'True');
  const launchedAt = reached('Launched');
  const initializedAt = reached('Initialized');
  const planned = pods.filter((pod) => pod.createdAt <= (initializedAt ?? createdAt));
  const times = {
    podsWaitedSince: earliest(planned.map((pod) => pod.createdAt)),
    registeredAt: reached('Registered'),
    initializedAt,
    podRunningAt: earliest(planned.flatMap(({ runningAt }) => runningAt ?? [])),
    deletingAt: deletionAt,
    drainingAt: findSince(conditions, 'Drained', 'Unknown'),
    drainedAt: reached('Drained'),
    volumesDetachedAt: reached('VolumesDetached'),
    terminatingAt: reached('InstanceTerminating'),
  };
  return {
    createdAt,
    ...withoutUndefined(times),
    ...(launchedAt !== undefined && { launch: { at: launchedAt } }),
  };
}

const findSince = (
  conditions: readonly ObjectCondition[],
  type: string,
  status: ObjectCondition['status'],
): EpochMs | undefined => conditions.find((condition) => condition.type === type && condition.status === status)?.since;

/** @returns undefined if there is no time */
export const earliest = (times: readonly EpochMs[]): EpochMs | undefined =>
  times.length > 0 ? Math.min(...times) : undefined;

/** The order in which a claim reaches its conditions. */
const ALIVE = ['Launched', 'Registered', 'Initialized'];
const LEAVING = ['Drained', 'VolumesDetached', 'InstanceTerminating'];

/** The condition that the next phase waits for; `undefined` if the claim waits for nothing. */
export function findAwaitedCondition(
  conditions: readonly ObjectCondition[],
  isDeleting: boolean,
): ObjectCondition | undefined {
  const unmet = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status !== 'True');
  return (isDeleting ? LEAVING : ALIVE).map(unmet).find((condition) => condition !== undefined);
}
