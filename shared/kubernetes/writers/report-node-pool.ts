import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import {
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
} from '../../model/labels.ts';
import type { NodePoolStatus, PoolCondition } from '../../model/nodes/reported-status.ts';
import { ownValue } from '../../model/own-value.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import { NODE_POOLS, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import { conditionSchema, type LiveCondition, liveMetadataSchema } from '../readers/live-object.ts';
import { formatQuantities } from './format-quantities.ts';

const poolSchema = z.object({
  metadata: liveMetadataSchema.extend({ generation: z.number().default(1) }),
  status: z
    .looseObject({
      resources: z.record(z.string(), z.string()).optional(),
      nodes: z.number().optional(),
      nodeClassObservedGeneration: z.number().optional(),
      conditions: z.array(conditionSchema.extend({ observedGeneration: z.number().optional() })).default([]),
    })
    .prefault({}),
});
type LivePool = z.output<typeof poolSchema>;

/** Server-side apply of a NodePool's status and template hash if they have changed. */
export async function reportNodePool(api: KubernetesApi, status: NodePoolStatus, now: EpochMs): Promise<void> {
  const live = poolSchema.safeParse(await readObject(api, NODE_POOLS, { name: status.pool })).data;
  if (live?.metadata.uid !== status.uid) return;

  const annotations = {
    [NODEPOOL_HASH_ANNOTATION]: status.hash,
    [NODEPOOL_HASH_VERSION_ANNOTATION]: NODEPOOL_HASH_VERSION,
  };
  const hasHash = Object.entries(annotations).every(
    ([key, value]) => ownValue(live.metadata.annotations, key) === value,
  );
  if (!hasHash) await apply(api, status.pool, { metadata: { annotations } });

  const newStatus = toStatus(status, live, now);
  if (!isUpToDate(newStatus, live)) await apply(api, status.pool, { status: newStatus }, 'status');
}

async function apply(
  api: KubernetesApi,
  name: string,
  part: { readonly metadata?: object; readonly status?: object },
  subresource?: 'status',
): Promise<void> {
  const request: ApiRequest = {
    verb: 'patch',
    resource: subresource ? `${NODE_POOLS.name}/${subresource}` : NODE_POOLS.name,
    path: objectPath(NODE_POOLS, { name }, subresource),
    query: { force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      ...part,
      metadata: { name, ...part.metadata },
    },
  };
  const response = await api.send(request);
  if (!isSuccess(response) && response.status !== 404) throw toApiError(request, response);
}

interface WrittenStatus {
  readonly resources: Readonly<Record<string, string>>;
  readonly nodes: number;
  readonly nodeClassObservedGeneration?: number;
  readonly conditions: readonly (PoolCondition & {
    readonly lastTransitionTime: string;
    readonly observedGeneration: number;
  })[];
}

const toStatus = (
  { resources, nodes, nodeClassGeneration, conditions }: NodePoolStatus,
  live: LivePool,
  now: EpochMs,
): WrittenStatus => ({
  resources: formatQuantities(resources),
  nodes,
  ...(nodeClassGeneration !== undefined && { nodeClassObservedGeneration: nodeClassGeneration }),
  conditions: conditions.map((condition) => ({
    ...condition,
    lastTransitionTime: formatInstant(findTransitionTime(condition, live, now)),
    observedGeneration: live.metadata.generation,
  })),
});

/** A new condition gets the pool's creation time; one whose status is unchanged keeps its time. */
function findTransitionTime(
  { type, status }: PoolCondition,
  { metadata, status: { conditions } }: LivePool,
  now: EpochMs,
): EpochMs {
  const before = conditions.find((condition) => condition.type === type);
  if (!before) return metadata.creationTimestamp;
  return before.status === status ? (before.lastTransitionTime ?? now) : now;
}

function isUpToDate(
  { resources, nodes, nodeClassObservedGeneration, conditions }: WrittenStatus,
  { status }: LivePool,
): boolean {
  return (
    status.nodes === nodes &&
    status.nodeClassObservedGeneration === nodeClassObservedGeneration &&
    isDeepStrictEqual(status.resources, resources) &&
    conditions.every(({ type, lastTransitionTime, ...condition }) => {
      const live = status.conditions.find((candidate) => candidate.type === type);
      return live !== undefined && isSameCondition(live, condition);
    })
  );
}

const isSameCondition = (
  live: LiveCondition & { observedGeneration?: number | undefined },
  {
    status,
    reason,
    message,
    observedGeneration,
  }: Omit<WrittenStatus['conditions'][number], 'type' | 'lastTransitionTime'>,
): boolean =>
  live.status === status &&
  live.reason === reason &&
  live.message === message &&
  live.observedGeneration === observedGeneration;
