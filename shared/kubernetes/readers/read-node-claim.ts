import * as z from 'zod';
import { quantitiesSchema } from '../../api/builtin-resources/quantities.ts';
import { readTaint } from '../../api/builtin-resources/taints.ts';
import { isOurClass } from '../../api/stored-objects/ec2-node-class.ts';
import { nodeClaimSpecSchema } from '../../api/stored-objects/node-pool.ts';
import { readRequirement } from '../../api/stored-objects/requirement.ts';
import { durationMs } from '../../model/duration.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeClaimObject, ObjectCondition } from '../../model/nodes/node-claim-object.ts';
import { toResources } from '../../model/quantity.ts';
import { DEADLINE_ANNOTATION } from '../writers/node-claim-manifest.ts';
import {
  conditionSchema,
  deletionOf,
  instantSchema,
  type LiveCondition,
  type LiveReading,
  liveMetadataSchema,
  readLive,
} from './live-object.ts';

const ownerSchema = z.object({ kind: z.string(), name: z.string(), uid: z.string() });

const statusSchema = z.object({
  providerID: z.string().optional(),
  nodeName: z.string().optional(),
  imageID: z.string().optional(),
  capacity: quantitiesSchema.default({}),
  allocatable: quantitiesSchema.default({}),
  lastPodEventTime: instantSchema.nullish(),
  conditions: z.array(conditionSchema).default([]),
});

const schema = z.object({
  metadata: liveMetadataSchema.extend({ ownerReferences: z.array(ownerSchema).default([]) }),
  spec: nodeClaimSpecSchema,
  status: statusSchema.prefault({}),
});
type LiveNodeClaim = z.output<typeof schema>;

/** Reads a NodeClaim; `undefined` if it belongs to another provider's node class. */
export const readNodeClaim = (raw: unknown): LiveReading<NodeClaimObject | undefined> =>
  readLive('NodeClaim', schema, raw, (written) => ({
    outcome: 'read',
    value: isOurClass(written.spec.nodeClassRef) ? toNodeClaimObject(written) : undefined,
  }));

const toNodeClaimObject = ({ metadata, spec, status }: LiveNodeClaim): NodeClaimObject => ({
  name: metadata.name,
  uid: metadata.uid,
  createdAt: metadata.creationTimestamp,
  labels: metadata.labels,
  annotations: metadata.annotations,
  owners: metadata.ownerReferences,
  finalizers: metadata.finalizers,
  ...deletionOf(metadata),
  ...readDeadline(metadata.annotations),
  ...readSpec(spec),
  ...readStatusFields(status),
});

/** Also `undefined` if the annotation is no valid time: a typo must not force pods out. */
function readDeadline(annotations: Labels): Pick<NodeClaimObject, 'deadline'> {
  const { data: deadline } = instantSchema.safeParse(annotations[DEADLINE_ANNOTATION]);
  return deadline === undefined ? {} : { deadline };
}

const readSpec = (spec: LiveNodeClaim['spec']) => ({
  nodeClass: spec.nodeClassRef,
  requirements: spec.requirements.map(readRequirement),
  taints: (spec.taints ?? []).map(readTaint),
  startupTaints: (spec.startupTaints ?? []).map(readTaint),
  requests: toResources(spec.resources?.requests ?? {}),
  ...(spec.expireAfter !== 'Never' && { expireAfterMs: durationMs(spec.expireAfter) }),
  ...(spec.terminationGracePeriod !== undefined && {
    terminationGracePeriodMs: durationMs(spec.terminationGracePeriod),
  }),
});

const readStatusFields = (status: LiveNodeClaim['status']) => ({
  ...(status.providerID && { providerId: status.providerID }),
  ...(status.nodeName && { nodeName: status.nodeName }),
  ...(status.imageID && { imageId: status.imageID }),
  capacity: toResources(status.capacity),
  allocatable: toResources(status.allocatable),
  ...(status.lastPodEventTime != null && { lastPodEventAt: status.lastPodEventTime }),
  conditions: status.conditions.map(toCondition),
});

const toCondition = (written: LiveCondition): ObjectCondition => ({
  type: written.type,
  status: written.status === 'True' || written.status === 'False' ? written.status : 'Unknown',
  reason: written.reason,
  message: written.message,
  ...(written.lastTransitionTime != null && { since: written.lastTransitionTime }),
});
