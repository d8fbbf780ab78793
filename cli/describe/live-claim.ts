import * as z from 'zod';
import { readWithSchema } from '../../shared/api/builtin-resources/read-with-schema.ts';
import { NODE_CLAIMS, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readObject } from '../../shared/kubernetes/client/read-object.ts';
import { instantSchema, type LiveReading, liveMetadataSchema } from '../../shared/kubernetes/readers/live-object.ts';
import { readNodeClaim } from '../../shared/kubernetes/readers/read-node-claim.ts';
import { isObjectMissing } from '../../shared/kubernetes/writers/stored-node-claim.ts';
import type { ClaimTimes } from '../../shared/lifecycle/claim-timeline.ts';
import type { NodeClaimObject, ObjectCondition } from '../../shared/model/nodes/node-claim-object.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { listReadable } from '../cluster/live-objects.ts';

/** Reads a NodeClaim; `undefined` if there is none, or if it belongs to another provider. */
export async function readLiveClaim(api: KubernetesApi, name: string): Promise<NodeClaimObject | undefined> {
  const reading = readNodeClaim(await readObject(api, NODE_CLAIMS, { name }, isObjectMissing));
  return reading.outcome === 'read' ? reading.value : undefined;
}

/** The times of a pod that ran on the claim's node. */
interface PodTimes {
  readonly createdAt: EpochMs;
  readonly runningAt?: EpochMs;
}

const podSchema = z.object({
  metadata: liveMetadataSchema.extend({
    ownerReferences: z.array(z.object({ kind: z.string() })).default([]),
  }),
  status: z
    .object({
      containerStatuses: z
        .array(
          z.object({
            state: z.object({ running: z.object({ startedAt: instantSchema.nullish() }).optional() }).optional(),
          }),
        )
        .default([]),
    })
    .prefault({}),
});

/** Pods that run on every node, so that no node is launched for them. */
const PER_NODE_OWNERS: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

/** Lists the times of the pods on a node, without those of DaemonSets and static pods. */
export const listPodTimes = (api: KubernetesApi, node: string): Promise<readonly PodTimes[]> =>
  listReadable(api, { resource: PODS, read: readPodTimes }, { fieldSelector: `spec.nodeName=${node}` });

function readPodTimes(raw: unknown): LiveReading<PodTimes | undefined> {
  const reading = readWithSchema(podSchema, raw);
  if (reading.outcome === 'refused') return { outcome: 'read', value: undefined };
  const { metadata, status } = reading.value;
  if (metadata.ownerReferences.some(({ kind }) => PER_NODE_OWNERS.has(kind))) {
    return { outcome: 'read', value: undefined };
  }
  const starts = status.containerStatuses.flatMap(({ state }) => state?.running?.startedAt ?? []);
  const runningAt = starts.length > 0 ? { runningAt: Math.max(...starts) } : {};
  return { outcome: 'read', value: { createdAt: metadata.creationTimestamp, ...runningAt } };
}

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
