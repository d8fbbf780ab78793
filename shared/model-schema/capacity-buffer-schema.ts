import * as z from 'zod';
import type { BufferProblem, CapacityBuffer } from '../model/pods/capacity-buffer.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema } from './field-schemas.ts';
import { podTemplateSchema } from './pod-schema.ts';

const problemSchema = z.looseObject({
  reason: oneOf<BufferProblem['reason']>({
    PodTemplateNotFound: 'PodTemplateNotFound',
    ScalableRefNotFound: 'ScalableRefNotFound',
    ResolutionFailed: 'ResolutionFailed',
  }),
  message: z.string(),
} satisfies FieldsOf<BufferProblem>);

export const capacityBufferSchema: z.ZodType<CapacityBuffer> = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  strategy: z.string(),
  template: podTemplateSchema.exactOptional(),
  templateRef: z.looseObject({ name: z.string(), generation: z.number() }).exactOptional(),
  replicas: z.number().exactOptional(),
  percentage: z.number().exactOptional(),
  scale: z.number().exactOptional(),
  limits: amountsSchema.exactOptional(),
  problem: problemSchema.exactOptional(),
} satisfies FieldsOf<CapacityBuffer>);
