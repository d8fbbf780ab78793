import * as z from 'zod';
import { TERMINATION_FINALIZER } from '../../model/nodes/node.ts';
import { ApiMalformedAnswerError } from '../client/api-errors.ts';
import { NODE_CLAIMS, objectPath } from '../client/api-resources.ts';
import { readStatus, toApiError } from '../client/api-responses.ts';
import { retryConflicts } from '../client/conflict-retries.ts';
import { type ApiRequest, type ApiResponse, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { liveMetadataSchema } from '../readers/live-object.ts';

const storedSchema = z.object({
  metadata: liveMetadataSchema.extend({
    resourceVersion: z.string(),
    generation: z.number().default(1),
  }),
});
/** The metadata of a NodeClaim in the API server. */
export type StoredClaim = z.output<typeof storedSchema>['metadata'];

const READ_CLAIM_ACTION = { verb: 'get', resource: NODE_CLAIMS.name } as const;

export async function findNodeClaim(api: KubernetesApi, name: string): Promise<StoredClaim | undefined> {
  const request = { ...READ_CLAIM_ACTION, path: objectPath(NODE_CLAIMS, { name }) };
  const response = await api.send(request);
  if (isObjectMissing(response)) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return readStoredClaim(request, response.body);
}

/** True if the object is missing. If its kind is missing, the response is no Status. */
export const isObjectMissing = ({ status, body }: ApiResponse): boolean =>
  status === 404 && readStatus(body).reason === 'NotFound';

/**
 * @throws ApiMalformedAnswerError - the body is no NodeClaim
 */
export function readStoredClaim(request: ApiRequest, body: unknown): StoredClaim {
  const parsed = storedSchema.safeParse(body);
  if (!parsed.success) throw new ApiMalformedAnswerError(request, { why: 'no NodeClaim' });
  return parsed.data.metadata;
}

/**
 * Deletes the NodeClaim and removes our finalizer, because the instance is gone; other finalizers
 * stay.
 */
export async function removeNodeClaim(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const deletion = { verb: 'delete', resource: NODE_CLAIMS.name, path } as const;
  const deleted = await api.send(deletion);
  if (isObjectMissing(deleted)) return;
  if (!isSuccess(deleted)) throw toApiError(deletion, deleted);
  await removeFinalizer(api, name);
}

async function removeFinalizer(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const patch = { verb: 'patch', resource: NODE_CLAIMS.name, path } as const;

  await retryConflicts(patch, `NodeClaim ${name}`, async () => {
    const stored = await findNodeClaim(api, name);
    if (!stored) return undefined;

    const { resourceVersion, finalizers } = stored;
    const others = finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
    if (others.length === finalizers.length) return undefined;
    const response = await api.send({
      ...patch,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, finalizers: others } },
    });
    if (response.status === 409) return 'conflict';
    if (!isSuccess(response) && !isObjectMissing(response)) throw toApiError(patch, response);
    return undefined;
  });
}
