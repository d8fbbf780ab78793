import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { refusalOf } from '../client/api-responses.ts';
import { ApiUnreachableError } from '../client/api-errors.ts';
import {
  type ApiResource,
  collectionPath,
  NODE_CLAIMS,
  NODE_POOLS,
  objectPath,
} from '../client/api-resources.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { liveMetadataSchema } from '../readers/live-object.ts';
import {
  leftLabels,
  nodeClaimManifest,
  nodeClaimMarks,
  nodeClaimStatus,
} from './node-claim-manifest.ts';
import {
  findNodeClaim,
  isMissing,
  READING_CLAIMS,
  readStoredClaim,
  type StoredClaim,
} from './stored-node-claim.ts';

/** Who owns the fields that we apply. */
const FIELD_MANAGER = 'mortise';

/**
 * Shows the record in the cluster: a new object, or what is missing on the one that is there. Its
 * spec is never written twice, for the API forbids any change of one; what others wrote stays.
 */
export async function projectNodeClaim(api: KubernetesApi, claim: NodeClaim): Promise<void> {
  const object = (await findOrCreate(api, claim)) ?? (await findOrCreate(api, claim));
  if (!object)
    throw new ApiUnreachableError(READING_CLAIMS, {
      why: `NodeClaim ${claim.name} comes and goes`,
    });

  await takeLabels(api, claim.name, leftLabels(claim, object.labels));
  const { generation } = await mark(api, claim, object);
  const status = applying(claim.name, nodeClaimStatus(claim, generation), 'status');
  const answer = await api.ask(status);
  // Gone in between: the record's next step shows it again.
  if (isMissing(answer)) return;
  if (!isSuccess(answer)) throw refusalOf(status, answer);
  if (claim.deletingAt !== undefined && object.deletionTimestamp === undefined) {
    await askDeletion(api, claim.name, object.uid);
  }
}

/** @returns absent, if it went or came between two looks */
async function findOrCreate(
  api: KubernetesApi,
  claim: NodeClaim,
): Promise<StoredClaim | undefined> {
  // A record without progress is most likely new: one request less for each node of a burst.
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
    body: nodeClaimManifest(claim, await ownerOf(api, claim)),
  };
  const answer = await api.ask(request);
  if (answer.status === 409) return undefined;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return readStoredClaim(request, answer.body);
}

/**
 * The pool, so that its claims go with it. One that was deleted meanwhile is left out: with an owner
 * that is not there the claim would be taken away at once, and it may be an old one shown again.
 */
async function ownerOf(api: KubernetesApi, claim: NodeClaim): Promise<object | undefined> {
  const { pool: name, poolUid: uid } = claim;
  if (uid === undefined) return undefined;
  if (claim.launch && (await uidOf(api, NODE_POOLS, name)) !== uid) return undefined;
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true };
}

async function uidOf(
  api: KubernetesApi,
  resource: ApiResource,
  name: string,
): Promise<string | undefined> {
  const request = {
    verb: 'get',
    resource: resource.name,
    path: objectPath(resource, { name }),
  } as const;
  const answer = await api.ask(request);
  if (isMissing(answer)) return undefined;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return liveMetadataSchema.pick({ uid: true }).safeParse(metadataOf(answer.body)).data?.uid;
}

const metadataOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;

async function takeLabels(
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
  const answer = await api.ask(request);
  if (!isSuccess(answer) && !isMissing(answer)) throw refusalOf(request, answer);
}

/** Server-side apply of labels, annotations and finalizer, where something of them is missing. */
async function mark(
  api: KubernetesApi,
  claim: NodeClaim,
  object: StoredClaim,
): Promise<StoredClaim> {
  const marks = nodeClaimMarks(claim, {
    ...object,
    isDeleting: object.deletionTimestamp !== undefined,
  });
  if (!marks) return object;
  const request = applying(claim.name, marks);
  const answer = await api.ask(request);
  if (isMissing(answer)) return object;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return readStoredClaim(request, answer.body);
}

const applying = (name: string, body: object, subresource?: 'status'): ApiRequest => ({
  verb: 'patch',
  resource: subresource ? `${NODE_CLAIMS.name}/${subresource}` : NODE_CLAIMS.name,
  path: objectPath(NODE_CLAIMS, { name }, subresource),
  query: { fieldManager: FIELD_MANAGER, force: 'true' },
  contentType: 'application/apply-patch+yaml',
  body,
});

/** Never another object that has taken the name. Our finalizer holds it until the instance is gone. */
async function askDeletion(api: KubernetesApi, name: string, uid: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const deletion = { verb: 'delete', resource: NODE_CLAIMS.name, path } as const;
  const preconditions = { uid };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  const answer = await api.ask({ ...deletion, body });
  if (isSuccess(answer) || isMissing(answer) || answer.status === 409) return;
  throw refusalOf(deletion, answer);
}
