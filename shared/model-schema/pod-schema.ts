import * as z from 'zod';
import { REASONS, type Reason, type ReasonCode } from '../model/explanations/reasons.ts';
import type { PodDeviceClaim, ResolvedDeviceClaim } from '../model/pods/devices.ts';
import type {
  EphemeralVolume,
  HostPort,
  OwnerReference,
  Pod,
  PodAffinityTerm,
  PodPhase,
  PodSpec,
  PodTemplate,
  ResolvedNeeds,
  TopologySpreadConstraint,
} from '../model/pods/pod.ts';
import { deviceClaimSpecSchema } from './device-schema.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import {
  amountsSchema,
  instantSchema,
  labelsSchema,
  nodeTermsSchema,
  requirementSchema,
  selectorSchema,
  tolerationSchema,
} from './field-schemas.ts';

const isReasonCode = (code: unknown): code is ReasonCode => typeof code === 'string' && Object.hasOwn(REASONS, code);

const reasonSchema: z.ZodType<Reason> = z.looseObject({
  code: z.custom<ReasonCode>(isReasonCode, 'must be a reason code of this release'),
  fields: z.record(z.string(), z.string()),
} satisfies FieldsOf<Reason>);

const nodePolicySchema = oneOf<TopologySpreadConstraint['nodeAffinityPolicy']>({
  Honor: 'Honor',
  Ignore: 'Ignore',
});

export const topologySpreadSchema = z.looseObject({
  key: z.string(),
  maxSkew: z.number(),
  whenUnsatisfiable: oneOf<TopologySpreadConstraint['whenUnsatisfiable']>({
    DoNotSchedule: 'DoNotSchedule',
    ScheduleAnyway: 'ScheduleAnyway',
  }),
  selector: selectorSchema.exactOptional(),
  matchLabelKeys: z.array(z.string()),
  minDomains: z.number().exactOptional(),
  nodeAffinityPolicy: nodePolicySchema,
  nodeTaintsPolicy: nodePolicySchema,
} satisfies FieldsOf<TopologySpreadConstraint>);

const podAffinitySchema = z.looseObject({
  key: z.string(),
  selector: selectorSchema.exactOptional(),
  matchLabelKeys: z.array(z.string()),
  namespaces: z.array(z.string()),
  namespaceSelector: selectorSchema.exactOptional(),
} satisfies FieldsOf<PodAffinityTerm>);

const weighted = <T extends z.ZodType>(term: T) => z.looseObject({ weight: z.number(), term });

const resolvedSchema = z.looseObject({
  nodeTerms: nodeTermsSchema,
  devices: z
    .array(
      z.looseObject({
        claim: z.string(),
        shared: z.string().exactOptional(),
        deviceRequest: deviceClaimSpecSchema,
      } satisfies FieldsOf<ResolvedDeviceClaim>),
    )
    .exactOptional(),
  together: amountsSchema.exactOptional(),
  refusal: reasonSchema.exactOptional(),
} satisfies FieldsOf<ResolvedNeeds>);

const podSpecSchema: z.ZodType<PodSpec> = z.looseObject({
  requests: amountsSchema,
  nodeSelector: labelsSchema,
  requiredNodeTerms: nodeTermsSchema,
  preferredNodeTerms: z.array(weighted(z.array(requirementSchema))),
  tolerations: z.array(tolerationSchema),
  topologySpread: z.array(topologySpreadSchema),
  podAffinity: z.array(podAffinitySchema),
  podAntiAffinity: z.array(podAffinitySchema),
  preferredPodAffinity: z.array(weighted(podAffinitySchema)),
  preferredPodAntiAffinity: z.array(weighted(podAffinitySchema)),
  hostPorts: z.array(
    z.looseObject({
      port: z.number(),
      protocol: z.string(),
      ip: z.string(),
    } satisfies FieldsOf<HostPort>),
  ),
  volumeClaims: z.array(z.string()),
  ephemeralVolumes: z
    .array(
      z.looseObject({
        name: z.string(),
        storageClass: z.string().exactOptional(),
      } satisfies FieldsOf<EphemeralVolume>),
    )
    .exactOptional(),
  deviceClaims: z
    .array(
      z.looseObject({
        name: z.string(),
        claim: z.string().exactOptional(),
        template: z.string().exactOptional(),
      } satisfies FieldsOf<PodDeviceClaim>),
    )
    .exactOptional(),
  resolved: resolvedSchema.exactOptional(),
  schedulingGates: z.array(z.string()),
  priority: z.number(),
  priorityClassName: z.string().exactOptional(),
  terminationGracePeriodMs: z.number(),
} satisfies FieldsOf<PodSpec>);

const templateFields = {
  labels: labelsSchema,
  annotations: labelsSchema,
  spec: podSpecSchema,
} satisfies FieldsOf<PodTemplate>;

export const podTemplateSchema: z.ZodType<PodTemplate> = z.looseObject(templateFields);

export const podSchema = z.looseObject({
  ...templateFields,
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  createdAt: instantSchema,
  owner: z
    .looseObject({
      kind: z.string(),
      name: z.string(),
      uid: z.string(),
    } satisfies FieldsOf<OwnerReference>)
    .exactOptional(),
  phase: oneOf<PodPhase>({
    Pending: 'Pending',
    Running: 'Running',
    Succeeded: 'Succeeded',
    Failed: 'Failed',
  }),
  ready: z.boolean(),
  unschedulableSince: instantSchema.exactOptional(),
  nodeName: z.string().exactOptional(),
  madeClaims: labelsSchema.exactOptional(),
  nominatedNodeName: z.string().exactOptional(),
  startedAt: instantSchema.exactOptional(),
  runningAt: instantSchema.exactOptional(),
  deletionAt: instantSchema.exactOptional(),
  awaitedFinalizers: z.array(z.string()).exactOptional(),
} satisfies FieldsOf<Pod>);
