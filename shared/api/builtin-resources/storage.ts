import * as z from 'zod';
import type { NodeSelectorTerm } from '../../model/pods/pod.ts';
import {
  driverOf,
  type NodeDrivers,
  type StorageClass,
  type Volume,
  type VolumeClaim,
} from '../../model/pods/storage.ts';
import type { VolumeClaimTemplate } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import { textsSchema } from './metadata.ts';
import { nodeAffinitySchema, readRequiredTerms } from './node-affinity.ts';

const metadataSchema = z.object({
  name: z.string(),
  annotations: textsSchema.nullish(),
  deletionTimestamp: z.unknown().optional(),
});
const isDeleting = ({ deletionTimestamp }: z.output<typeof metadataSchema>): boolean =>
  deletionTimestamp !== undefined && deletionTimestamp !== null;

export const volumeClaimSchema = z.object({
  metadata: metadataSchema.extend({ namespace: z.string() }),
  spec: z
    .object({
      volumeName: z.string().nullish(),
      storageClassName: z.string().nullish(),
      accessModes: z.array(z.string()).nullish(),
    })
    .prefault({}),
  status: z.object({ phase: z.string().nullish() }).prefault({}),
});

/** Set by the controller-manager when the claim is bound to a volume. */
const BOUND_ANNOTATION = 'pv.kubernetes.io/bind-completed';
/** The legacy way to name a StorageClass. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const readVolumeClaim = ({ metadata, spec, status }: z.output<typeof volumeClaimSchema>): VolumeClaim => {
  const annotations = metadata.annotations ?? {};
  return {
    namespace: metadata.namespace,
    ...readVolumeClaimTemplate({ metadata, spec }),
    ...(spec.volumeName && { volume: spec.volumeName }),
    bound: annotations[BOUND_ANNOTATION] !== undefined,
    lost: status.phase === 'Lost',
    deleting: isDeleting(metadata),
  };
};

export const volumeClaimTemplateSchema = z.object({
  metadata: metadataSchema,
  spec: volumeClaimSchema.shape.spec,
});

export const readVolumeClaimTemplate = ({
  metadata: { name, annotations },
  spec,
}: z.output<typeof volumeClaimTemplateSchema>): VolumeClaimTemplate => {
  const storageClass = annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? undefined;
  return {
    name,
    ...(storageClass !== undefined && { storageClass }),
    ...(spec.accessModes?.includes('ReadWriteOncePod') && { oncePod: true }),
  };
};

const present = z.unknown().optional();

export const volumeSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      csi: z.object({ driver: z.string() }).nullish(),
      claimRef: z.object({ namespace: z.string().default('default'), name: z.string() }).nullish(),
      awsElasticBlockStore: present,
      local: present,
      hostPath: present,
      nodeAffinity: z
        .object({
          required: nodeAffinitySchema.shape.requiredDuringSchedulingIgnoredDuringExecution,
        })
        .nullish(),
    })
    .prefault({}),
});

export const readVolume = ({ metadata, spec }: z.output<typeof volumeSchema>): Volume => {
  const { csi, awsElasticBlockStore, local, hostPath, nodeAffinity } = spec;
  const inTree = isThere(awsElasticBlockStore) ? driverOf('kubernetes.io/aws-ebs') : undefined;
  const driver = csi ? csi.driver : inTree;
  return {
    name: metadata.name,
    ...(driver !== undefined && { driver }),
    onHost: isThere(local) || isThere(hostPath),
    nodeTerms: readRequiredTerms({
      requiredDuringSchedulingIgnoredDuringExecution: nodeAffinity?.required,
    }),
    deleting: isDeleting(metadata),
  };
};

const isThere = (field: unknown): boolean => field !== undefined && field !== null;

export const storageClassSchema = z.object({
  metadata: metadataSchema,
  provisioner: z.string(),
  volumeBindingMode: z.string().nullish(),
  allowedTopologies: z
    .array(
      z.object({
        matchLabelExpressions: z.array(z.object({ key: z.string(), values: z.array(z.string()) })).nullish(),
      }),
    )
    .nullish(),
});

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

export const readStorageClass = (
  { metadata, provisioner, volumeBindingMode, allowedTopologies }: z.output<typeof storageClassSchema>,
  createdAt: EpochMs,
): StorageClass => ({
  name: metadata.name,
  driver: driverOf(provisioner),
  waitsForPod: volumeBindingMode === 'WaitForFirstConsumer',
  nodeTerms: (allowedTopologies ?? []).map(({ matchLabelExpressions }) =>
    (matchLabelExpressions ?? []).map(({ key, values }): NodeSelectorTerm[number] => ({
      key,
      operator: 'In',
      values,
    })),
  ),
  isDefault: DEFAULT_ANNOTATIONS.some((key) => metadata.annotations?.[key] === 'true'),
  createdAt,
});

export const csiNodeSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      drivers: z
        .array(
          z.object({
            name: z.string(),
            allocatable: z.object({ count: z.int().nullish() }).nullish(),
          }),
        )
        .nullish(),
    })
    .prefault({}),
});

export const readNodeDrivers = ({ metadata, spec }: z.output<typeof csiNodeSchema>): NodeDrivers => ({
  name: metadata.name,
  attachLimits: Object.fromEntries(
    (spec.drivers ?? []).flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined || allocatable.count === null
        ? []
        : [[driverOf(name), allocatable.count] as const],
    ),
  ),
});
