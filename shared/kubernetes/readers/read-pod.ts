import * as z from 'zod';
import type { OwnerReference, Pod, PodPhase } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObservedPod } from '../../ports/view-store.ts';
import { allocationSchema, containerAllocationSchema, raiseToAllocated } from './allocated-resources.ts';
import {
  conditionSchema,
  deletionOf,
  instantSchema,
  isConditionTrue,
  type LiveCondition,
  type LiveReading,
  liveMetadataSchema,
  readLive,
} from './live-object.ts';
import type { PodTemplateReader } from './read-pod-template.ts';

const ownerSchema = z.object({
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
});

const containerStatusSchema = containerAllocationSchema.extend({
  state: z
    .object({
      running: z.object({ startedAt: instantSchema.nullish() }).optional(),
      terminated: z.object({ finishedAt: instantSchema.nullish() }).optional(),
    })
    .optional(),
});

const statusSchema = allocationSchema.extend({
  phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).default('Pending'),
  conditions: z.array(conditionSchema).default([]),
  nominatedNodeName: z.string().optional(),
  startTime: instantSchema.nullish(),
  containerStatuses: z.array(containerStatusSchema).default([]),
  initContainerStatuses: z.array(containerAllocationSchema).default([]),
  resourceClaimStatuses: z.array(z.object({ name: z.string(), resourceClaimName: z.string().nullish() })).nullish(),
});
type LiveStatus = z.output<typeof statusSchema>;

const schema = z.object({
  metadata: liveMetadataSchema.extend({
    namespace: z.string(),
    ownerReferences: z.array(ownerSchema).default([]),
  }),
  spec: z
    .record(z.string(), z.unknown())
    .and(z.object({ nodeName: z.string().optional(), schedulerName: z.string().optional() })),
  status: statusSchema.prefault({}),
});
type LivePod = z.output<typeof schema>;

export const readPod = (templates: PodTemplateReader, raw: unknown): LiveReading<ObservedPod> =>
  readLive('Pod', schema, raw, ({ metadata, spec, status }) => {
    const owner = findController(metadata.ownerReferences);
    const { labels, annotations } = metadata;
    const isDaemon = owner?.kind === 'DaemonSet';
    const template = templates.read({
      labels,
      annotations,
      spec: raiseToAllocated(spec, {
        ...status,
        containers: status.containerStatuses,
        initContainers: status.initContainerStatuses,
      }),
      isDaemon,
    });
    if (template.outcome === 'refused') return template;

    const pod: Pod = {
      ...template.value,
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      createdAt: metadata.creationTimestamp,
      ...(owner && { owner }),
      ...readPlacement(spec, status),
      ...readState(status),
      ...readMadeClaims(status),
      ...deletionOf(metadata),
      ...readAwaitedFinalizers(metadata),
    };
    const eventAt = findEventTime(pod, status);
    return { outcome: 'read', value: { pod, ...(eventAt !== undefined && { eventAt }) } };
  });

function findController(references: LivePod['metadata']['ownerReferences']): OwnerReference | undefined {
  const controller = references.find((reference) => reference.controller);
  return controller && { kind: controller.kind, name: controller.name, uid: controller.uid };
}

const readAwaitedFinalizers = ({
  deletionTimestamp,
  finalizers,
}: LivePod['metadata']): Pick<Pod, 'awaitedFinalizers'> =>
  deletionTimestamp === undefined || finalizers.length === 0 ? {} : { awaitedFinalizers: finalizers };

const FARGATE_SCHEDULER = 'fargate-scheduler';

const readPlacement = (
  { nodeName, schedulerName }: LivePod['spec'],
  { conditions, nominatedNodeName }: LiveStatus,
): Pick<Pod, 'nodeName' | 'nominatedNodeName' | 'unschedulableSince'> => {
  if (nodeName) return { nodeName };
  // Fargate creates a node for the pod, however long that takes.
  if (schedulerName === FARGATE_SCHEDULER) return {};
  const unschedulableSince = conditions.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  )?.lastTransitionTime;
  return {
    ...(unschedulableSince && { unschedulableSince }),
    ...(nominatedNodeName && { nominatedNodeName }),
  };
};

const readState = ({
  phase,
  conditions,
  startTime,
  containerStatuses,
}: LiveStatus): Pick<Pod, 'phase' | 'ready' | 'startedAt' | 'runningAt'> => {
  const starts = containerStatuses.flatMap(({ state }) => state?.running?.startedAt ?? []);
  return {
    phase: phaseOf(phase),
    ready: isConditionTrue(conditions, 'Ready'),
    ...(startTime && { startedAt: startTime }),
    ...(starts.length > 0 && { runningAt: Math.max(...starts) }),
  };
};

/** An empty name means that the pod needs no claim. */
const readMadeClaims = ({ resourceClaimStatuses }: LiveStatus): Pick<Pod, 'madeClaims'> =>
  resourceClaimStatuses && resourceClaimStatuses.length > 0
    ? {
        madeClaims: Object.fromEntries(
          resourceClaimStatuses.map(({ name, resourceClaimName }) => [name, resourceClaimName ?? '']),
        ),
      }
    : {};

/** A pod on a node whose kubelet is unreachable still uses its resources. */
const phaseOf = (phase: LiveStatus['phase']): PodPhase => (phase === 'Unknown' ? 'Running' : phase);

function findEventTime({ nodeName, phase }: Pod, { conditions, containerStatuses }: LiveStatus): EpochMs | undefined {
  if (nodeName === undefined) return undefined;
  if (phase === 'Succeeded' || phase === 'Failed') {
    const ends = containerStatuses.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
    if (ends.length > 0) return Math.max(...ends);
  }
  return findTransition(conditions, 'PodScheduled');
}

const findTransition = (conditions: readonly LiveCondition[], type: string): EpochMs | undefined =>
  conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? undefined;
