import * as z from 'zod';
import type { ClusterSnapshot, UnreadableObject } from '../model/cluster-snapshot.ts';
import type { BufferProblem, CapacityBuffer } from '../model/pods/capacity-buffer.ts';
import type { NodeDrivers, Storage, StorageClass, Volume, VolumeClaim } from '../model/pods/storage.ts';
import { devicesSchema } from './device-schema.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, instantSchema, labelsSchema, nodeTermsSchema } from './field-schemas.ts';
import { nodeClaimSchema } from './node-claim-schema.ts';
import { nodeClassStateSchema } from './node-class-schema.ts';
import { nodePoolSchema } from './node-pool-schema.ts';
import { nodeSchema } from './node-schema.ts';
import {
  instanceTypeSchema,
  nodeOverlaySchema,
  offeringSchema,
  timesByNameSchema,
  unavailableOfferingSchema,
} from './offering-schema.ts';
import { podSchema, podTemplateSchema } from './pod-schema.ts';
import { commitmentSchema, decisionSettingsSchema } from './settings-schema.ts';
import {
  daemonSetSchema,
  ownerRestartSchema,
  podDisruptionBudgetSchema,
  podOwnerSchema,
  quotaSchema,
  serviceSchema,
} from './workload-schema.ts';

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

const storageSchema: z.ZodType<Storage> = z.looseObject({
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

const problemSchema = z.looseObject({
  reason: oneOf<BufferProblem['reason']>({
    PodTemplateNotFound: 'PodTemplateNotFound',
    ScalableRefNotFound: 'ScalableRefNotFound',
    ResolutionFailed: 'ResolutionFailed',
  }),
  message: z.string(),
} satisfies FieldsOf<BufferProblem>);

const capacityBufferSchema: z.ZodType<CapacityBuffer> = z.looseObject({
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

const unreadableSchema = z.looseObject({
  kind: z.string(),
  namespace: z.string().exactOptional(),
  name: z.string(),
  why: z.string(),
  forbids: z.array(oneOf<'launch' | 'remove'>({ launch: 'launch', remove: 'remove' })),
} satisfies FieldsOf<UnreadableObject>);

const zonesByPoolSchema = z.record(z.string(), z.array(z.string()));

/** A whole snapshot. Fields that a newer release added are kept. */
export const snapshotSchema = z.looseObject({
  takenAt: instantSchema,
  settings: decisionSettingsSchema.exactOptional(),
  epoch: z.number().exactOptional(),
  pods: z.array(podSchema),
  nodes: z.array(nodeSchema),
  claims: z.array(nodeClaimSchema),
  pools: z.array(nodePoolSchema),
  daemonSets: z.array(daemonSetSchema),
  podDisruptionBudgets: z.array(podDisruptionBudgetSchema),
  owners: z.array(podOwnerSchema).exactOptional(),
  restarts: z.array(ownerRestartSchema).exactOptional(),
  quotas: z.array(quotaSchema).exactOptional(),
  services: z.array(serviceSchema).exactOptional(),
  storage: storageSchema.exactOptional(),
  devices: devicesSchema.exactOptional(),
  namespaces: z.record(z.string(), labelsSchema),
  instanceTypes: z.record(z.string(), z.array(instanceTypeSchema)),
  offerings: z.array(offeringSchema),
  unpriced: z.literal(true).exactOptional(),
  commitments: z.array(commitmentSchema).exactOptional(),
  zones: zonesByPoolSchema.exactOptional(),
  fullZones: zonesByPoolSchema.exactOptional(),
  unavailable: z.array(unavailableOfferingSchema),
  overlays: z.array(nodeOverlaySchema).exactOptional(),
  buffers: z.array(capacityBufferSchema).exactOptional(),
  nodeClasses: z.array(nodeClassStateSchema).exactOptional(),
  driftRests: timesByNameSchema.exactOptional(),
  nominations: timesByNameSchema,
  unreadable: z.array(unreadableSchema).exactOptional(),
} satisfies FieldsOf<ClusterSnapshot>);
