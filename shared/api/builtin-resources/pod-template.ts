import * as z from 'zod';
import type { Labels } from '../../model/labels.ts';
import type { PodDeviceClaim } from '../../model/pods/devices.ts';
import type { EphemeralVolume, PodSpec, PodTemplate } from '../../model/pods/pod.ts';
import { SECOND_MS } from '../../model/time.ts';
import { containerSchema, demandSchema, readHostPorts, readRequests } from './containers.ts';
import { textsSchema } from './metadata.ts';
import { nodeAffinitySchema, readPreferredTerms, readRequiredTerms } from './node-affinity.ts';
import { podAffinitySchema, readPreferredAffinity, readRequiredAffinity } from './pod-affinity.ts';
import type { Priority } from './priority-class.ts';
import { amountsSchema } from './quantities.ts';
import { readToleration, tolerationSchema } from './taints.ts';
import { readTopologySpread, topologySpreadSchema } from './topology-spread.ts';

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
