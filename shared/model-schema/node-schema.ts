import * as z from 'zod';
import type { Node, NodeTrouble } from '../model/nodes/node.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, instantSchema, labelsSchema, taintSchema } from './field-schemas.ts';

const troubleSchema = z.looseObject({
  condition: z.string(),
  status: oneOf<NodeTrouble['status']>({ False: 'False', Unknown: 'Unknown' }),
  reason: z.string().exactOptional(),
  since: instantSchema,
} satisfies FieldsOf<NodeTrouble>);

export const nodeSchema = z.looseObject({
  name: z.string(),
  uid: z.string(),
  providerId: z.string().exactOptional(),
  createdAt: instantSchema,
  labels: labelsSchema,
  annotations: labelsSchema,
  taints: z.array(taintSchema),
  capacity: amountsSchema,
  allocatable: amountsSchema,
  ready: z.boolean(),
  bootId: z.string().exactOptional(),
  troubles: z.array(troubleSchema).exactOptional(),
  finalizers: z.array(z.string()),
  deletionAt: instantSchema.exactOptional(),
} satisfies FieldsOf<Node>);
