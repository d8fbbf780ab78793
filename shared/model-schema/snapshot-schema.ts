import * as z from 'zod';
import type { ClusterSnapshot, UnreadableObject } from '../model/cluster-snapshot.ts';
import { capacityBufferSchema } from './capacity-buffer-schema.ts';
import { devicesSchema } from './device-schema.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { instantSchema, labelsSchema } from './field-schemas.ts';
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
import { podSchema } from './pod-schema.ts';
import { commitmentSchema, decisionSettingsSchema } from './settings-schema.ts';
import { storageSchema } from './storage-schema.ts';
import {
  daemonSetSchema,
  ownerRestartSchema,
  podDisruptionBudgetSchema,
  podOwnerSchema,
  quotaSchema,
  serviceSchema,
} from './workload-schema.ts';

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
