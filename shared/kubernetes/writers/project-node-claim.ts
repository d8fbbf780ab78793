import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ApiUnreachableError } from '../client/api-errors.ts';
import {
  type ApiResource,
  collectionPath,
  NODE_CLAIMS,
  NODE_POOLS,
  objectPath,
} from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { liveMetadataSchema } from '../readers/live-object.ts';
import {
  findStaleReservationLabels,
  toMetadataPatch,
  toNodeClaimManifest,
  toNodeClaimStatus,
} from './node-claim-manifest.ts';
import {
  findNodeClaim,
  isObjectMissing,
  READ_CLAIM_ACTION,
  readStoredClaim,
  type StoredClaim,
} from './stored-node-claim.ts';

/** The field manager of our server-side applies. */
const FIELD_MANAGER = 'mortise';

/**
 * Writes the record into the cluster: creates the NodeClaim, or adds what is missing. The API
 * forbids changes of a spec, so it is written only once; fields of other writers stay.
 */
export async function projectNodeClaim(api: KubernetesApi, claim: NodeClaim): Promise<void> {
  const object = (await findOrCreate(api, claim)) ?? (await findOrCreate(api, claim));
  if (!object)
    throw new ApiUnreachableError(READ_CLAIM_ACTION, {
      why: `NodeClaim ${claim.name} comes and goes`,
    });

  await updateNodeClaim(api, claim, object);
  if (claim.deletingAt !== undefined && object.deletionTimestamp === undefined) {
    await requestDeletion(api, claim.name, object.uid);
  }
}

/**
 * Shows what a claim waits for before it has a record. An object that its user has deleted
 * meanwhile is not created again.
 */
export async function showWait(api: KubernetesApi, claim: NodeClaim): Promise<void> {
  const object = await findNodeClaim(api, claim.name);
  if (object?.uid === claim.uid) await updateNodeClaim(api, claim, object);
}

async function updateNodeClaim(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<void> {
  await removeLabels(api, claim.name, findStaleReservationLabels(claim, object.labels));
  const { generation } = await applyMetadata(api, claim, object);
  const status = toApplyRequest(claim.name, toNodeClaimStatus(claim, generation), 'status');
  const response = await api.send(status);
  // The object was deleted meanwhile; the record's next step creates it again.
  if (isObjectMissing(response)) return;
  if (!isSuccess(response)) throw toApiError(status, response);
}

/**
 * @returns `undefined` if it was deleted or created between two requests
 */
async function findOrCreate(
  api: KubernetesApi,
  claim: NodeClaim,
): Promise<StoredClaim | undefined> {
  // A record without progress is probably new: creating it first saves a request per node of a
  // burst.
  const isNew = !claim.launch && !claim.waitsFor && claim.deletingAt === undefined;
  if (isNew) return (await create(api, claim)) ?? (await findNodeClaim(api, claim.name));
  return (await findNodeClaim(api, claim.name)) ?? (await create(api, claim));
}

async function create(api: KubernetesApi, claim: NodeClaim): Promise<StoredClaim | undefined> {
  const request: ApiRequest = {
    verb: 'create',
    resource: NODE_CLAIMS.name,
    path: collectionPath(NODE_CLAIMS),
    query: { fieldManager: FIELD_MANAGER },
    body: toNodeClaimManifest(claim, await findOwner(api, claim)),
  };
  const response = await api.send(request);
  if (response.status === 409) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return readStoredClaim(request, response.body);
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

async function readUid(
  api: KubernetesApi,
  resource: ApiResource,
  name: string,
): Promise<string | undefined> {
  const request = {
    verb: 'get',
    resource: resource.name,
    path: objectPath(resource, { name }),
  } as const;
  const response = await api.send(request);
  if (isObjectMissing(response)) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return liveMetadataSchema.pick({ uid: true }).safeParse(metadataOf(response.body)).data?.uid;
}

const metadataOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;

async function removeLabels(
  api: KubernetesApi,
  name: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const request: ApiRequest = {
    verb: 'patch',
    resource: NODE_CLAIMS.name,
    path: objectPath(NODE_CLAIMS, { name }),
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: Object.fromEntries(keys.map((key) => [key, null])) } },
  };
  const response = await api.send(request);
  if (!isSuccess(response) && !isObjectMissing(response)) throw toApiError(request, response);
}

/** Server-side apply of labels, annotations and finalizer if some of them are missing. */
async function applyMetadata(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<StoredClaim> {
  const patch = toMetadataPatch(claim, {
    ...object,
    isDeleting: object.deletionTimestamp !== undefined,
  });
  if (!patch) return object;
  const request = toApplyRequest(claim.name, patch);
  const response = await api.send(request);
  if (isObjectMissing(response)) return object;
  if (!isSuccess(response)) throw toApiError(request, response);
  return readStoredClaim(request, response.body);
}

const toApplyRequest = (name: string, body: object, subresource?: 'status'): ApiRequest => ({
  verb: 'patch',
  resource: subresource ? `${NODE_CLAIMS.name}/${subresource}` : NODE_CLAIMS.name,
  path: objectPath(NODE_CLAIMS, { name }, subresource),
  query: { fieldManager: FIELD_MANAGER, force: 'true' },
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
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  const response = await api.send({ ...deletion, body });
  if (isSuccess(response) || isObjectMissing(response) || response.status === 409) return;
  throw toApiError(deletion, response);
}
