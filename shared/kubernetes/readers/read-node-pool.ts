import * as z from 'zod';
import { isOurClass } from '../../api/stored-objects/ec2-node-class.ts';
import { nodePoolSchema, readNodePool as readWritten } from '../../api/stored-objects/node-pool.ts';
import {
  describeMissingClass,
  NODE_CLASS_TERMINATING,
  NODE_CLASS_UNKNOWN,
  type NodeClassReadiness,
} from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ROLLOUT_CONDITION } from '../../model/nodes/reported-status.ts';
import type { EpochMs } from '../../model/time.ts';
import { NODE_POOLS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { generationStatusSchema, instantSchema, type LiveReading, readLive } from './live-object.ts';

/** Reads a NodePool; `undefined` if it belongs to another provider's node class. */
export const readNodePool = (raw: unknown): LiveReading<NodePool | undefined> =>
  readLive('NodePool', nodePoolSchema, raw, (written) => ({
    outcome: 'read',
    value: isOurClass(written.spec.template.spec.nodeClassRef)
      ? { ...readWritten(written.metadata.name ?? '', written), ...(showsRollout(raw) && { isRollingOut: true }) }
      : undefined,
  }));

const statusSchema = z.object({ status: generationStatusSchema });

const showsRollout = (raw: unknown): boolean =>
  statusSchema
    .safeParse(raw)
    .data?.status.conditions.some(({ type, status }) => type === ROLLOUT_CONDITION && status === 'False') ?? false;

/**
 * Adds the generation of the node class, and marks the pool as not ready if the class is not. A
 * problem of the pool itself takes precedence.
 */
export function withClassReadiness(pool: NodePool, classes: ReadonlyMap<string, NodeClassReadiness>): NodePool {
  const nodeClass = classes.get(pool.nodeClass.name);
  const last = joined.get(pool);
  if (last && last.nodeClass === nodeClass) return last.pool;
  const generation = nodeClass?.generation;
  const versioned = generation === undefined ? pool : { ...pool, nodeClassGeneration: generation };
  const result = markReadiness(versioned, nodeClass);
  joined.set(pool, { nodeClass, pool: result });
  return result;
}

// An unchanged pool keeps its identity, because decisions cache by object.
const joined = new WeakMap<NodePool, { readonly nodeClass: NodeClassReadiness | undefined; readonly pool: NodePool }>();

function markReadiness(pool: NodePool, nodeClass: NodeClassReadiness | undefined): NodePool {
  if (!pool.ready) return pool;
  const notReady = nodeClass ? nodeClass.notReady : describeMissingClass(pool.nodeClass.name);
  return notReady ? { ...pool, ready: false, notReady } : pool;
}

/** Lists the readable NodePools of our node classes. */
export async function listNodePools(api: KubernetesApi): Promise<readonly NodePool[]> {
  const { parsed } = await listObjects(api, { resource: NODE_POOLS, read: readNodePool });
  return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? (reading.value ?? []) : []));
}

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    generation: z.number().optional(),
    creationTimestamp: instantSchema.optional(),
    deletionTimestamp: z.string().optional(),
    managedFields: z
      .array(z.object({ time: instantSchema.optional(), subresource: z.string().optional() }))
      .default([]),
  }),
  status: generationStatusSchema,
});
type LiveNodeClass = z.output<typeof schema>;

export const readNodeClassReadiness = (raw: unknown): LiveReading<NodeClassReadiness> =>
  readLive('EC2NodeClass', schema, raw, (written) => {
    const { name, generation } = written.metadata;
    const notReady = findNotReadyReason(written);
    return {
      outcome: 'read',
      value: {
        name,
        ...(generation !== undefined && { generation }),
        ...(notReady && { notReady }),
      },
    };
  });

function findNotReadyReason({ metadata, status }: LiveNodeClass): NodeClassReadiness['notReady'] {
  if (metadata.deletionTimestamp !== undefined) {
    return { condition: NODE_CLASS_TERMINATING, message: 'the EC2NodeClass is being deleted' };
  }
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (ready && isOutdated(ready.observedGeneration, metadata.generation)) {
    return toUnknown('the EC2NodeClass was changed and not evaluated since', findLastWrite(metadata));
  }
  if (ready?.status === 'True') return undefined;
  if (ready?.status === 'False') {
    // Ready only lists the other conditions, and a dependency that failed also fails the validation.
    const cause =
      status.conditions.find(
        ({ type, status, reason }) => status === 'False' && type !== 'Ready' && reason !== 'DependenciesNotReady',
      ) ?? ready;
    return {
      condition: cause.reason || 'NodeClassNotReady',
      message: `EC2NodeClass ${metadata.name}: ${cause.message}`,
    };
  }
  return toUnknown('the EC2NodeClass was not evaluated yet', metadata.creationTimestamp);
}

/** The condition was written for an older generation of the spec. */
const isOutdated = (observed?: number, generation?: number): boolean =>
  observed !== undefined && generation !== undefined && observed !== generation;

const toUnknown = (message: string, writtenAt: EpochMs | undefined): NodeClassReadiness['notReady'] => ({
  condition: NODE_CLASS_UNKNOWN,
  message,
  ...(writtenAt !== undefined && { classWrittenAt: writtenAt }),
});

/**
 * The last write that was not one of the status.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
function findLastWrite({ managedFields }: LiveNodeClass['metadata']): EpochMs | undefined {
  const times = managedFields.flatMap(({ time, subresource }) => (subresource === undefined ? (time ?? []) : []));
  return times.length === 0 ? undefined : Math.max(...times);
}
