import * as z from 'zod';

/** Strings by key, for labels, annotations and selectors. */
export const textsSchema = z.record(z.string(), z.string());

const ignored = z.unknown().optional();

/** The metadata of an object. Fields that we do not read are accepted with any value. */
export const metadataSchema = z.object({
  name: z.string().optional(),
  generateName: z.string().optional(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  labels: textsSchema.optional(),
  annotations: textsSchema.optional(),
  deletionTimestamp: ignored,
  deletionGracePeriodSeconds: ignored,
  creationTimestamp: ignored,
  resourceVersion: ignored,
  generation: ignored,
  finalizers: ignored,
  managedFields: ignored,
  selfLink: ignored,
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
