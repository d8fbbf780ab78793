import * as z from 'zod';
import type {
  DaemonSet,
  OwnerRestart,
  PodDisruptionBudget,
  PodOwner,
  QuotaRoom,
  Service,
} from '../model/pods/workload.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, labelsSchema, selectorSchema } from './field-schemas.ts';
import { podTemplateSchema } from './pod-schema.ts';

export const daemonSetSchema: z.ZodType<DaemonSet> = z.looseObject({
  kind: z.literal('DaemonSet'),
  namespace: z.string(),
  name: z.string(),
  annotations: labelsSchema,
  template: podTemplateSchema,
} satisfies FieldsOf<DaemonSet>);

export const podDisruptionBudgetSchema = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  selector: selectorSchema.exactOptional(),
  minAvailable: z.string().exactOptional(),
  maxUnavailable: z.string().exactOptional(),
  unhealthyPodEvictionPolicy: oneOf<PodDisruptionBudget['unhealthyPodEvictionPolicy']>({
    IfHealthyBudget: 'IfHealthyBudget',
    AlwaysAllow: 'AlwaysAllow',
  }),
  disruptionsAllowed: z.number(),
  currentHealthy: z.number(),
  desiredHealthy: z.number(),
  // Earlier releases did not record it.
  expectedPods: z.number().default(0),
} satisfies FieldsOf<PodDisruptionBudget>);

export const ownerRestartSchema = z.looseObject({
  owner: z.string(),
  replicas: z.number(),
  surge: z.number(),
  obstacle: z.string().exactOptional(),
} satisfies FieldsOf<OwnerRestart>);

export const podOwnerSchema = z.looseObject({
  kind: oneOf<PodOwner['kind']>({
    ReplicaSet: 'ReplicaSet',
    Job: 'Job',
    StatefulSet: 'StatefulSet',
  }),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  desiredPods: z.number(),
  creates: oneOf<PodOwner['creates']>({ 'at-once': 'at-once', 'one-by-one': 'one-by-one' }),
  isFailing: z.boolean(),
} satisfies FieldsOf<PodOwner>);

export const quotaSchema: z.ZodType<QuotaRoom> = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  free: amountsSchema,
  isPartlyKnown: z.boolean(),
} satisfies FieldsOf<QuotaRoom>);

export const serviceSchema: z.ZodType<Service> = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  selector: labelsSchema,
} satisfies FieldsOf<Service>);
