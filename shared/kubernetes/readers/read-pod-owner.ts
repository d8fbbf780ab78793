import * as z from 'zod';
import type { PodOwner } from '../../model/pods/workload.ts';
import { conditionSchema, isConditionTrue } from './live-object.ts';

const metadataSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  deletionTimestamp: z.string().optional(),
});
const count = z.int().default(0);
const conditions = z.array(conditionSchema).default([]);

const replicaSetSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ replicas: z.int().default(1) }).prefault({}),
  status: z.object({ conditions }).prefault({}),
});

const statefulSetSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ replicas: z.int().default(1), podManagementPolicy: z.string().default('') }).prefault({}),
});

const jobSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      parallelism: z.int().default(1),
      /** If null or undefined, the success of any pod completes the Job. */
      completions: z.int().nullish(),
      suspend: z.boolean().default(false),
      /** The name of an external controller that creates the pods. */
      managedBy: z.string().optional(),
    })
    .prefault({}),
  status: z.object({ succeeded: count, failed: count, active: count, terminating: count, conditions }).prefault({}),
});
type LiveJob = z.output<typeof jobSchema>;

/** Reads an owner; `undefined` if it is malformed or an external controller creates its pods. */
export function readPodOwner(kind: PodOwner['kind'], raw: unknown): PodOwner | undefined {
  switch (kind) {
    case 'ReplicaSet':
      return readReplicaSet(raw);
    case 'StatefulSet':
      return readStatefulSet(raw);
    case 'Job':
      return readJob(raw);
  }
}

function readReplicaSet(raw: unknown): PodOwner | undefined {
  const { data } = replicaSetSchema.safeParse(raw);
  return (
    data && {
      ...toPodOwner('ReplicaSet', data.metadata, data.spec.replicas),
      isFailing: isConditionTrue(data.status.conditions, 'ReplicaFailure'),
    }
  );
}

function readStatefulSet(raw: unknown): PodOwner | undefined {
  const { data } = statefulSetSchema.safeParse(raw);
  return (
    data && {
      ...toPodOwner('StatefulSet', data.metadata, data.spec.replicas),
      creates: data.spec.podManagementPolicy === 'Parallel' ? 'at-once' : 'one-by-one',
    }
  );
}

function readJob(raw: unknown): PodOwner | undefined {
  const { data } = jobSchema.safeParse(raw);
  if (!data || data.spec.managedBy !== undefined) return undefined;
  return {
    ...toPodOwner('Job', data.metadata, countPodsOfJob(data)),
    // The Job controller delays the replacement of a failed pod longer each time.
    isFailing: data.status.failed > 0,
  };
}

/** Computes the number of pods that the Job should have now. */
function countPodsOfJob({ spec, status }: LiveJob): number {
  if (spec.suspend || FINISHED_CONDITIONS.some((type) => isConditionTrue(status.conditions, type))) return 0;
  const remaining =
    spec.completions == null
      ? status.succeeded > 0
        ? status.active
        : spec.parallelism
      : spec.completions - status.succeeded;
  return Math.max(Math.min(spec.parallelism, remaining) - status.terminating, 0);
}

const FINISHED_CONDITIONS = ['Complete', 'SuccessCriteriaMet', 'Failed', 'FailureTarget'] as const;

const toPodOwner = (
  kind: PodOwner['kind'],
  { namespace, name, uid, deletionTimestamp }: z.output<typeof metadataSchema>,
  desiredPods: number,
): PodOwner => ({
  kind,
  namespace,
  name,
  uid,
  desiredPods: deletionTimestamp === undefined ? desiredPods : 0,
  creates: 'at-once',
  isFailing: false,
});
