import * as z from 'zod';
import { textsSchema } from './labels.ts';

/** What we read of any object's metadata; the API server judges the rest. */
export const metadataSchema = z.looseObject({
  name: z.string().optional(),
  generateName: z.string().optional(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  labels: textsSchema.optional(),
  annotations: textsSchema.optional(),
  deletionTimestamp: z.unknown().optional(),
  ownerReferences: z
    .array(
      z.looseObject({
        kind: z.string(),
        name: z.string(),
        uid: z.string().optional(),
        controller: z.boolean().optional(),
      }),
    )
    .optional(),
});
export type Metadata = z.output<typeof metadataSchema>;

/** A whole object of `kind`; its status is never judged. */
export const objectSchema = <Spec extends z.ZodType>(
  apiVersion: string,
  kind: string,
  spec: Spec,
) =>
  z.object({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(kind),
    metadata: metadataSchema,
    spec,
    status: z.unknown().optional(),
  });
