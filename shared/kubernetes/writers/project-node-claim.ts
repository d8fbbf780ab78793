import type { V1DeleteOptions } from '@kubernetes/client-node';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { ReadLatestClaim } from '../../ports/cluster.ts';
import { type ApiResource, collectionPath, NODE_CLAIMS, NODE_POOLS, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { retryConflicts } from '../client/conflict-retries.ts';
import type { Json } from '../client/json.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import { liveMetadataSchema } from '../readers/live-object.ts';
import {
  type ClaimPatch,
  findStaleRebootAnnotations,
  findStaleReservationLabels,
  toMetadataPatch,
  toNodeClaimManifest,
  toNodeClaimStatus,
} from './node-claim-manifest.ts';
import {
  findNodeClaim,
  isObjectMissing,
  readStoredClaim,
  removeNodeClaim,
  type StoredClaim,
} from './stored-node-claim.ts';

/**
 * Writes the record into the cluster: creates the NodeClaim, or adds what is missing. The API
 * forbids changes of a spec, so it is written only once; fields of other writers stay.
 *
 * Writers of several records of one claim may overtake each other. The record is therefore read
 * after the object, and written only if the object has not changed since. The last writer has
 * therefore read the latest record:
 *
 *     writer 1   stores 2                reads object a     record 3   writes 3
 *     writer 2             stores 3   reads object a, record 3   writes 3: object b
 *     ------------------------------------------------------------------------------> time
 *                                     writer 1 is refused, because a has become b: it reads again
 */
export const projectNodeClaim = (api: KubernetesApi, claim: NodeClaim, readLatest: ReadLatestClaim): Promise<void> =>
  retryConflicts(STATUS_ACTION, `NodeClaim ${claim.name}`, () => {
    return projectOnce(api, claim, readLatest);
  });

async function projectOnce(
  api: KubernetesApi,
  claim: NodeClaim,
  readLatest: ReadLatestClaim,
): Promise<undefined | 'conflict'> {
  const { object, isCreated = false } = (await findOrCreate(api, claim)) ?? {};
  // It was created or deleted between two requests.
  if (!object) return 'conflict';

  const latest = await readLatest();
  if (!latest || latest.terminatedAt !== undefined) {
    // The step that ended the claim has removed its object already.
    if (isCreated) await removeNodeClaim(api, claim.name);
    return undefined;
  }
  if ((await updateNodeClaim(api, latest, object)) === 'conflict') return 'conflict';
  if (latest.deletingAt !== undefined && object.deletionTimestamp === undefined) {
    await requestDeletion(api, latest.name, object.uid);
  }
  return undefined;
}

/**
 * Shows what a claim waits for before it has a record. An object that its user has deleted
 * meanwhile is not created again.
 */
export const showWait = (api: KubernetesApi, claim: NodeClaim): Promise<void> =>
  retryConflicts(STATUS_ACTION, `NodeClaim ${claim.name}`, async () => {
    const object = await findNodeClaim(api, claim.name);
    return object?.uid === claim.uid ? updateNodeClaim(api, claim, object) : undefined;
  });

/** Writes metadata and status if the object has not changed since it was read. */
async function updateNodeClaim(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<undefined | 'conflict'> {
  const withoutStale = await removeStaleMetadata(api, claim, object);
  if (withoutStale === 'conflict') return 'conflict';
  const updated = await applyMetadata(api, claim, withoutStale);
  if (updated === 'conflict') return 'conflict';
  const status = toApplyRequest(
    claim.name,
    withResourceVersion(toNodeClaimStatus(claim, updated.generation), updated),
    'status',
  );
  const response = await api.send(status);
  // The object was deleted meanwhile; the record's next step creates it again.
  if (isObjectMissing(response)) return undefined;
  if (response.status === 409) return 'conflict';
  if (!isSuccess(response)) throw toApiError(status, response);
  return undefined;
}
const STATUS_ACTION = { verb: 'patch', resource: `${NODE_CLAIMS.name}/status` } as const;

interface LiveClaim {
  readonly object: StoredClaim;
  readonly isCreated?: true;
}

/**
 * @returns `undefined` if it was deleted or created between two requests
 */
async function findOrCreate(api: KubernetesApi, claim: NodeClaim): Promise<LiveClaim | undefined> {
  // A record without progress is probably new: creating it first saves a request per node of a
  // burst.
  const isNew = !claim.launch && !claim.waitsFor && claim.deletingAt === undefined;
  if (isNew) return (await create(api, claim)) ?? (await find(api, claim));
  return (await find(api, claim)) ?? (await create(api, claim));
}

async function find(api: KubernetesApi, { name }: NodeClaim): Promise<LiveClaim | undefined> {
  const object = await findNodeClaim(api, name);
  return object && { object };
}

async function create(api: KubernetesApi, claim: NodeClaim): Promise<LiveClaim | undefined> {
  const request: ApiRequest = {
    verb: 'create',
    resource: NODE_CLAIMS.name,
    path: collectionPath(NODE_CLAIMS),
    body: toNodeClaimManifest(claim, await findOwner(api, claim)),
  };
  const response = await api.send(request);
  if (response.status === 409) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return { object: readStoredClaim(request, response.body), isCreated: true };
}

/**
 * The owner reference to the NodePool, so that deleting the pool deletes its claims.
 *
 * Returns `undefined` if the pool was deleted or replaced: with a missing owner the garbage
 * collector would delete the claim at once.
 */
async function findOwner(api: KubernetesApi, claim: NodeClaim): Promise<object | undefined> {
  const { pool: name, poolUid: uid } = claim;
  if (uid === undefined) return undefined;
  if (claim.launch && (await readUid(api, NODE_POOLS, name)) !== uid) return undefined;
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true };
}

async function readUid(api: KubernetesApi, resource: ApiResource, name: string): Promise<string | undefined> {
  const body = await readObject(api, resource, { name }, isObjectMissing);
  return liveMetadataSchema.pick({ uid: true }).safeParse(metadataOf(body)).data?.uid;
}

const metadataOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;

/** Removes the labels of a reservation that the instance has left, and the annotations of a reboot that is over. */
async function removeStaleMetadata(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<StoredClaim | 'conflict'> {
  const labels = findStaleReservationLabels(claim, object.labels);
  const annotations = findStaleRebootAnnotations(claim, object.annotations);
  if (labels.length + annotations.length === 0) return object;
  const { resourceVersion } = object;
  return writeMetadata(api, object, {
    verb: 'patch',
    resource: NODE_CLAIMS.name,
    path: objectPath(NODE_CLAIMS, claim),
    contentType: 'application/merge-patch+json',
    body: {
      metadata: { resourceVersion, labels: toNulls(labels), annotations: toNulls(annotations) },
    },
  });
}

const toNulls = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]));

/** Server-side apply of labels, annotations and finalizer if some of them are missing. */
async function applyMetadata(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<StoredClaim | 'conflict'> {
  const patch = toMetadataPatch(claim, {
    ...object,
    isDeleting: object.deletionTimestamp !== undefined,
  });
  if (!patch) return object;
  return writeMetadata(api, object, toApplyRequest(claim.name, withResourceVersion(patch, object)));
}

async function writeMetadata(
  api: KubernetesApi,
  object: StoredClaim,
  request: ApiRequest,
): Promise<StoredClaim | 'conflict'> {
  const response = await api.send(request);
  if (response.status === 409) return 'conflict';
  if (isObjectMissing(response)) return object;
  if (!isSuccess(response)) throw toApiError(request, response);
  return readStoredClaim(request, response.body);
}

/** The API server refuses the patch with 409 if the object has changed since it was read. */
const withResourceVersion = (patch: ClaimPatch, { resourceVersion }: StoredClaim): ClaimPatch => ({
  ...patch,
  metadata: { ...patch.metadata, resourceVersion },
});

const toApplyRequest = (name: string, body: object, subresource?: 'status'): ApiRequest => ({
  verb: 'patch',
  resource: subresource ? `${NODE_CLAIMS.name}/${subresource}` : NODE_CLAIMS.name,
  path: objectPath(NODE_CLAIMS, { name }, subresource),
  query: { force: 'true' },
  contentType: 'application/apply-patch+yaml',
  body,
});

/**
 * The uid protects a newer object of the same name. Our finalizer keeps the object until the
 * instance is gone.
 */
async function requestDeletion(api: KubernetesApi, name: string, uid: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const deletion = { verb: 'delete', resource: NODE_CLAIMS.name, path } as const;
  const preconditions = { uid };
  const body: Json<V1DeleteOptions> = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  const response = await api.send({ ...deletion, body });
  if (isSuccess(response) || isObjectMissing(response) || response.status === 409) return;
  throw toApiError(deletion, response);
}
