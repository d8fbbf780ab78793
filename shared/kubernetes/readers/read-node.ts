import * as z from 'zod';
import { quantitiesSchema } from '../../api/builtin-resources/quantities.ts';
import { readTaint, taintSchema } from '../../api/builtin-resources/taints.ts';
import { pickReadAnnotations } from '../../model/labels.ts';
import type { Node, NodeTrouble } from '../../model/nodes/node.ts';
import { toResources } from '../../model/quantity.ts';
import {
  conditionSchema,
  deletionOf,
  isConditionTrue,
  type LiveCondition,
  type LiveReading,
  liveMetadataSchema,
  readLive,
} from './live-object.ts';

const schema = z.object({
  metadata: liveMetadataSchema,
  spec: z.object({ providerID: z.string().optional(), taints: z.array(taintSchema).default([]) }).prefault({}),
  status: z
    .object({
      capacity: quantitiesSchema.default({}),
      allocatable: quantitiesSchema.default({}),
      conditions: z.array(conditionSchema).default([]),
      nodeInfo: z.object({ bootID: z.string().default('') }).prefault({}),
    })
    .prefault({}),
});

export const readNode = (raw: unknown): LiveReading<Node> =>
  readLive('Node', schema, raw, ({ metadata, spec, status }) => ({
    outcome: 'read',
    value: {
      name: metadata.name,
      uid: metadata.uid,
      ...(spec.providerID && { providerId: spec.providerID }),
      createdAt: metadata.creationTimestamp,
      labels: metadata.labels,
      annotations: pickReadAnnotations(metadata.annotations),
      taints: spec.taints.map(readTaint),
      capacity: toResources(status.capacity),
      allocatable: toResources(status.allocatable),
      ready: isConditionTrue(status.conditions, 'Ready'),
      ...(status.nodeInfo.bootID !== '' && { bootId: status.nodeInfo.bootID }),
      ...findTroubles(status.conditions),
      finalizers: metadata.finalizers,
      ...deletionOf(metadata),
    },
  }));

/**
 * Finds conditions that end in `Ready` and are not True. Pressure conditions are left to kubelet.
 */
function findTroubles(conditions: readonly LiveCondition[]): Pick<Node, 'troubles'> {
  const troubles = conditions.flatMap(({ type, status, reason, lastTransitionTime: since }) =>
    type.endsWith('Ready') && isUnhealthy(status) && since != null
      ? [{ condition: type, status, ...(reason && { reason }), since }]
      : [],
  );
  return troubles.length > 0 ? { troubles } : {};
}

const isUnhealthy = (status: string): status is NodeTrouble['status'] => status === 'False' || status === 'Unknown';
