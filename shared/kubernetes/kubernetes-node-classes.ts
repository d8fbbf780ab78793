import * as z from 'zod';
import { readWithSchema } from '../api/builtin-resources/read-with-schema.ts';
import { formatPath } from '../api/finding.ts';
import { ec2NodeClassSchema } from '../api/stored-objects/ec2-node-class.ts';
import { StaleObjectError } from '../model/errors.ts';
import { isExpiring, type NodeClassCondition, type NodeReservation } from '../model/nodes/resolved-node-class.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { NodeClassObject, NodeClassObjects, NodeClassStatus } from '../ports/node-classes.ts';
import { ApiMalformedAnswerError } from './client/api-errors.ts';
import { EC2_NODE_CLASSES, objectPath } from './client/api-resources.ts';
import { toApiError } from './client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './client/kubernetes-api.ts';
import { listObjects } from './client/list-objects.ts';
import { generationStatusSchema, type LiveReading, liveMetadataSchema, readLive } from './readers/live-object.ts';

/** The EC2NodeClasses of a cluster. Each write names the resourceVersion that it is based on. */
export function kubernetesNodeClasses(api: KubernetesApi): NodeClassObjects {
  /**
   * @returns the object after the patch
   */
  async function patch(
    { name, resourceVersion }: NodeClassObject,
    body: { readonly metadata?: object; readonly status?: object },
    subresource?: 'status',
  ): Promise<NodeClassObject> {
    const request: ApiRequest = {
      verb: 'patch',
      resource: [EC2_NODE_CLASSES.name, ...(subresource ? [subresource] : [])].join('/'),
      path: objectPath(EC2_NODE_CLASSES, { name }, subresource),
      contentType: 'application/merge-patch+json',
      body: { ...body, metadata: { ...body.metadata, resourceVersion } },
    };
    const response = await api.send(request);
    if (response.status === 404 || response.status === 409) {
      throw new StaleObjectError(`EC2NodeClass ${name}`);
    }
    if (!isSuccess(response)) throw toApiError(request, response);
    const reading = readNodeClassObject(response.body);
    if (reading.outcome === 'read') return reading.value;
    throw new ApiMalformedAnswerError(request, { why: reading.object.why });
  }

  return {
    async list() {
      const listing = { resource: EC2_NODE_CLASSES, read: readNodeClassObject };
      const { parsed } = await listObjects(api, listing);
      return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? [reading.value] : []));
    },
    change: (object, change) => patch(object, { metadata: change }),
    async writeStatus(object, status, now) {
      await patch(object, { status: toStatus(object, status, now) }, 'status');
    },
  };
}

/**
 * The status in the format of Karpenter's CRD. A merge patch replaces lists as a whole and removes
 * fields that are null.
 */
const toStatus = (
  object: NodeClassObject,
  { subnets, securityGroups, images, instanceProfile, reservations, conditions }: NodeClassStatus,
  now: EpochMs,
): object => ({
  subnets: subnets.map(({ id, zone, zoneId }) => ({
    id,
    zone,
    ...(zoneId !== undefined && { zoneID: zoneId }),
  })),
  securityGroups,
  amis: images.map(({ id, name, deprecated, requirements }) => ({
    id,
    name,
    ...(deprecated && { deprecated }),
    requirements: requirements.toSorted(byKey),
  })),
  instanceProfile: instanceProfile ?? null,
  capacityReservations: reservations?.map((one) => toReservationStatus(one, now)) ?? null,
  conditions: conditions.map((condition) => toConditionStatus(object, condition, now)),
});

const toReservationStatus = (reservation: NodeReservation, now: EpochMs): object => ({
  id: reservation.id,
  availabilityZone: reservation.zone,
  instanceType: reservation.instanceType,
  instanceMatchCriteria: reservation.matchCriteria,
  ownerID: reservation.ownerId,
  reservationType: reservation.kind,
  interruptible: reservation.isInterruptible,
  state: isExpiring(reservation, now) ? 'expiring' : 'active',
  ...(reservation.endsAt !== undefined && { endTime: formatInstant(reservation.endsAt) }),
});

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key.length - b.key.length || (a.key < b.key ? -1 : 1);

/** A condition whose status is unchanged keeps its transition time. */
function toConditionStatus(
  { conditions, generation }: NodeClassObject,
  condition: NodeClassCondition,
  now: EpochMs,
): object {
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before.since : now;
  return {
    ...condition,
    lastTransitionTime: formatInstant(since),
    observedGeneration: generation,
  };
}

const liveSchema = z.object({
  metadata: liveMetadataSchema.extend({ generation: z.number(), resourceVersion: z.string() }),
  status: generationStatusSchema,
});
type LiveNodeClass = z.output<typeof liveSchema>;

/** An EC2NodeClass as the API server stores it. */
const readNodeClassObject = (raw: unknown): LiveReading<NodeClassObject> =>
  readLive('EC2NodeClass', liveSchema, raw, ({ metadata, status }) => ({
    outcome: 'read',
    value: { ...readMetadata(metadata), ...readConditions(status), spec: readSpec(raw) },
  }));

function readMetadata(metadata: LiveNodeClass['metadata']) {
  const { name, uid, generation, resourceVersion, annotations, finalizers } = metadata;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  return { name, uid, generation, resourceVersion, annotations, finalizers, isDeleting };
}

function readConditions({ conditions }: LiveNodeClass['status']) {
  const observedGeneration = conditions.find(({ type }) => type === 'Ready')?.observedGeneration;
  return {
    conditions: conditions.map(({ type, status, reason, lastTransitionTime }) => ({
      type,
      status: statusSchema.parse(status),
      reason,
      since: lastTransitionTime ?? 0,
    })),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

const statusSchema = z.enum(['True', 'False', 'Unknown']).catch('Unknown');

function readSpec(raw: unknown): NodeClassObject['spec'] {
  const reading = readWithSchema(ec2NodeClassSchema, raw);
  if (reading.outcome === 'read') return { outcome: 'read', written: reading.value };
  const why = reading.findings.map(({ path, what }) => `${formatPath(path)}: ${what}`.trim());
  return { outcome: 'unreadable', why: why.join('; ') };
}
