import * as z from 'zod';
import { quantitiesSchema } from '../api/quantities.ts';
import { readTaint, taintSchema } from '../api/taint.ts';
import type { Node } from '../model/node.ts';
import { toResources } from '../model/quantity.ts';
import {
  conditionSchema,
  deletionOf,
  isTrue,
  type LiveReading,
  liveMetadataSchema,
  readLive,
} from './live-object.ts';

const schema = z.object({
  metadata: liveMetadataSchema,
  spec: z
    .object({ providerID: z.string().optional(), taints: z.array(taintSchema).default([]) })
    .prefault({}),
  status: z
    .object({
      capacity: quantitiesSchema.default({}),
      allocatable: quantitiesSchema.default({}),
      conditions: z.array(conditionSchema).default([]),
    })
    .prefault({}),
});

export const readNode = (raw: unknown): LiveReading<Node> =>
  readLive('Node', schema, raw, ({ metadata, spec, status }) => ({
    outcome: 'read',
    value: {
      name: metadata.name,
      uid: metadata.uid,
      ...(spec.providerID ? { providerId: spec.providerID } : {}),
      createdAt: metadata.creationTimestamp,
      labels: metadata.labels,
      annotations: metadata.annotations,
      taints: spec.taints.map(readTaint),
      capacity: toResources(status.capacity),
      allocatable: toResources(status.allocatable),
      ready: isTrue(status.conditions, 'Ready'),
      finalizers: metadata.finalizers,
      ...deletionOf(metadata),
    },
  }));
