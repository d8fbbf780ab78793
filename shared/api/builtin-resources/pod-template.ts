import * as z from 'zod';
import type { Labels } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodDeviceClaim } from '../../model/pods/devices.ts';
import type {
  EphemeralVolume,
  PodAffinityTerm,
  PodSpec,
  PodTemplate,
  TopologySpreadConstraint,
  Weighted,
} from '../../model/pods/pod.ts';
import type { LabelSelector } from '../../model/requirements/selectors.ts';
import { SECOND_MS } from '../../model/time.ts';
import { containerSchema, demandSchema, readHostPorts, readRequests } from './containers.ts';
import { readSelector, selectorSchema } from './label-selector.ts';
import { textsSchema } from './metadata.ts';
import { nodeAffinitySchema, readPreferredTerms, readRequiredTerms } from './node-affinity.ts';
import type { Priority } from './priority-class.ts';
import { amountsSchema } from './quantities.ts';
import { readToleration, tolerationSchema } from './taints.ts';

const termSchema = z.object({
  topologyKey: z.string(),
  labelSelector: selectorSchema.optional(),
  matchLabelKeys: z.array(z.string()).optional(),
  mismatchLabelKeys: z.array(z.string()).optional(),
  namespaces: z.array(z.string()).optional(),
  namespaceSelector: selectorSchema.optional(),
});
type WrittenTerm = z.output<typeof termSchema>;

/** The schema of both `podAffinity` and `podAntiAffinity`. */
const podAffinitySchema = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(termSchema).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ weight: z.int().min(1).max(100), podAffinityTerm: termSchema }))
    .optional(),
});
type WrittenPodAffinity = z.output<typeof podAffinitySchema>;

/**
 * @param labels - of the pod itself, which `mismatchLabelKeys` are compared with
 */
const readRequiredAffinity = (
  { requiredDuringSchedulingIgnoredDuringExecution: required = [] }: WrittenPodAffinity = {},
  labels: Labels,
): readonly PodAffinityTerm[] => required.map((term) => readTerm(term, labels));

const readPreferredAffinity = (
  { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] }: WrittenPodAffinity = {},
  labels: Labels,
): readonly Weighted<PodAffinityTerm>[] =>
  preferred.map(({ weight, podAffinityTerm }) => ({
    weight,
    term: readTerm(podAffinityTerm, labels),
  }));

function readTerm(term: WrittenTerm, labels: Labels): PodAffinityTerm {
  const { topologyKey, labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const { namespaces = [], namespaceSelector } = term;
  return {
    key: topologyKey,
    ...(labelSelector && { selector: withMismatchKeys(readSelector(labelSelector), mismatchLabelKeys, labels) }),
    matchLabelKeys,
    namespaces,
    ...(namespaceSelector && { namespaceSelector: readSelector(namespaceSelector) }),
  };
}

/** Adds `mismatchLabelKeys` as NotIn of the pod's own values, like the API server. */
const withMismatchKeys = (
  selector: LabelSelector,
  mismatchLabelKeys: readonly string[],
  labels: Labels,
): LabelSelector => ({
  ...selector,
  matchExpressions: [
    ...selector.matchExpressions,
    ...mismatchLabelKeys.flatMap((key) => {
      const value = ownValue(labels, key);
      return value === undefined ? [] : [{ key, operator: 'NotIn' as const, values: [value] }];
    }),
  ],
});

const topologySpreadSchema = z.object({
  topologyKey: z.string(),
  maxSkew: z.int().min(1),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  labelSelector: selectorSchema.optional(),
  matchLabelKeys: z.array(z.string()).default([]),
  minDomains: z.int().min(1).optional(),
  nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).default('Honor'),
  nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).default('Ignore'),
});

const readTopologySpread = ({
  topologyKey,
  labelSelector,
  minDomains,
  ...same
}: z.output<typeof topologySpreadSchema>): TopologySpreadConstraint => ({
  ...same,
  key: topologyKey,
  ...(labelSelector && { selector: readSelector(labelSelector) }),
  ...(minDomains !== undefined && { minDomains }),
});

const volumeSchema = z.object({
  name: z.string().optional(),
  persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
  ephemeral: z
    .object({
      volumeClaimTemplate: z
        .object({ spec: z.object({ storageClassName: z.string().optional() }).optional() })
        .optional(),
    })
    .optional(),
});

const deviceClaimSchema = z.object({
  name: z.string(),
  resourceClaimName: z.string().nullish(),
  resourceClaimTemplateName: z.string().nullish(),
});

/** The part of a pod spec that scheduling reads. */
export const podSpecSchema = z.object({
  containers: z.array(containerSchema).min(1),
  initContainers: z.array(containerSchema).optional(),
  resources: demandSchema.optional(),
  overhead: amountsSchema.optional(),
  nodeSelector: textsSchema.optional(),
  affinity: z
    .object({
      nodeAffinity: nodeAffinitySchema.optional(),
      podAffinity: podAffinitySchema.optional(),
      podAntiAffinity: podAffinitySchema.optional(),
    })
    .optional(),
  tolerations: z.array(tolerationSchema).optional(),
  topologySpreadConstraints: z.array(topologySpreadSchema).optional(),
  volumes: z.array(volumeSchema).optional(),
  resourceClaims: z.array(deviceClaimSchema).optional(),
  schedulingGates: z.array(z.object({ name: z.string() })).optional(),
  hostNetwork: z.boolean().optional(),
  priority: z.int().optional(),
  priorityClassName: z.string().optional(),
  schedulerName: z.string().optional(),
  restartPolicy: z.string().optional(),
  terminationGracePeriodSeconds: z.int().min(0).default(30),
});
type WrittenPodSpec = z.output<typeof podSpecSchema>;

export const podTemplateSchema = z.object({
  metadata: z.object({ labels: textsSchema.optional(), annotations: textsSchema.optional() }).optional(),
  spec: podSpecSchema,
});
export type WrittenPodTemplate = z.output<typeof podTemplateSchema>;

export const readPodTemplate = ({ metadata, spec }: WrittenPodTemplate, priority: Priority): PodTemplate => {
  const labels = metadata?.labels ?? {};
  return {
    labels,
    annotations: metadata?.annotations ?? {},
    spec: readPodSpec(spec, labels, priority),
  };
};

function readPodSpec(spec: WrittenPodSpec, labels: Labels, priority: Priority): PodSpec {
  const { affinity = {}, hostNetwork = false } = spec;
  return {
    requests: readRequests(spec, spec.resources, spec.overhead),
    nodeSelector: spec.nodeSelector ?? {},
    requiredNodeTerms: readRequiredTerms(affinity.nodeAffinity),
    preferredNodeTerms: readPreferredTerms(affinity.nodeAffinity),
    tolerations: (spec.tolerations ?? []).map(readToleration),
    topologySpread: (spec.topologySpreadConstraints ?? []).map(readTopologySpread),
    podAffinity: readRequiredAffinity(affinity.podAffinity, labels),
    podAntiAffinity: readRequiredAffinity(affinity.podAntiAffinity, labels),
    preferredPodAffinity: readPreferredAffinity(affinity.podAffinity, labels),
    preferredPodAntiAffinity: readPreferredAffinity(affinity.podAntiAffinity, labels),
    hostPorts: readHostPorts(spec, hostNetwork),
    volumeClaims: (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : [])),
    ...ephemeralVolumesOf(spec.volumes ?? []),
    ...(spec.resourceClaims &&
      spec.resourceClaims.length > 0 && { deviceClaims: spec.resourceClaims.map(readDeviceClaim) }),
    schedulingGates: (spec.schedulingGates ?? []).map(({ name }) => name),
    priority: priority.value,
    ...(priority.className !== undefined && { priorityClassName: priority.className }),
    terminationGracePeriodMs: spec.terminationGracePeriodSeconds * SECOND_MS,
  };
}

function ephemeralVolumesOf(volumes: readonly z.output<typeof volumeSchema>[]): Pick<PodSpec, 'ephemeralVolumes'> {
  const ephemeralVolumes = volumes.flatMap(({ name, ephemeral }): EphemeralVolume[] => {
    if (name === undefined || !ephemeral) return [];
    const storageClass = ephemeral.volumeClaimTemplate?.spec?.storageClassName;
    return [{ name, ...(storageClass !== undefined && { storageClass }) }];
  });
  return ephemeralVolumes.length > 0 ? { ephemeralVolumes } : {};
}

const readDeviceClaim = ({
  name,
  resourceClaimName: claim,
  resourceClaimTemplateName: template,
}: z.output<typeof deviceClaimSchema>): PodDeviceClaim => ({
  name,
  ...(claim && { claim }),
  ...(template && { template }),
});
