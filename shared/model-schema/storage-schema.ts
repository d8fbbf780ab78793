import * as z from 'zod';
import type { NodeDrivers, Storage, StorageClass, Volume, VolumeClaim } from '../model/pods/storage.ts';
import type { FieldsOf } from './exact-schema.ts';
import { amountsSchema, instantSchema, nodeTermsSchema } from './field-schemas.ts';

const claimSchema = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  volume: z.string().exactOptional(),
  storageClass: z.string().exactOptional(),
  bound: z.boolean(),
  oncePod: z.literal(true).exactOptional(),
  lost: z.boolean(),
  deleting: z.boolean(),
} satisfies FieldsOf<VolumeClaim>);

const volumeSchema = z.looseObject({
  name: z.string(),
  driver: z.string().exactOptional(),
  onHost: z.boolean(),
  nodeTerms: nodeTermsSchema,
  deleting: z.boolean(),
} satisfies FieldsOf<Volume>);

const classSchema = z.looseObject({
  name: z.string(),
  driver: z.string(),
  waitsForPod: z.boolean(),
  nodeTerms: nodeTermsSchema,
  isDefault: z.boolean(),
  createdAt: instantSchema,
} satisfies FieldsOf<StorageClass>);

export const storageSchema: z.ZodType<Storage> = z.looseObject({
  claims: z.array(claimSchema),
  volumes: z.array(volumeSchema),
  classes: z.array(classSchema),
  drivers: z.array(
    z.looseObject({
      name: z.string(),
      attachLimits: amountsSchema,
    } satisfies FieldsOf<NodeDrivers>),
  ),
} satisfies FieldsOf<Storage>);
