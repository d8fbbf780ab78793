import * as z from 'zod';
import { readStatus, refusalOf } from '../client/api-responses.ts';
import { ApiMalformedAnswerError, ApiUnreachableError } from '../client/api-errors.ts';
import { NODE_CLAIMS, objectPath } from '../client/api-resources.ts';
import { type ApiAnswer, type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { liveMetadataSchema } from '../readers/live-object.ts';
import { TERMINATION_FINALIZER } from './node-claim-manifest.ts';

const storedSchema = z.object({
  metadata: liveMetadataSchema.extend({
    resourceVersion: z.string(),
    generation: z.number().default(1),
  }),
});
/** A NodeClaim's metadata, as the API server has it now. */
export type StoredClaim = z.output<typeof storedSchema>['metadata'];

export const READING_CLAIMS = { verb: 'get', resource: NODE_CLAIMS.name } as const;

export async function findNodeClaim(
  api: KubernetesApi,
  name: string,
): Promise<StoredClaim | undefined> {
  const request = { ...READING_CLAIMS, path: objectPath(NODE_CLAIMS, { name }) };
  const answer = await api.ask(request);
  if (isMissing(answer)) return undefined;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return readStoredClaim(request, answer.body);
}

/** The object is missing, not its kind: that one is told without a Status. */
export const isMissing = ({ status, body }: ApiAnswer): boolean =>
  status === 404 && readStatus(body).reason === 'NotFound';

/** @throws ApiMalformedAnswerError - it is no NodeClaim */
export function readStoredClaim(request: ApiRequest, body: unknown): StoredClaim {
  const parsed = storedSchema.safeParse(body);
  if (!parsed.success) throw new ApiMalformedAnswerError(request, { why: 'no NodeClaim' });
  return parsed.data.metadata;
}

const MOST_ATTEMPTS = 4;

/** Deletes it and frees our finalizer, for the instance is gone; others' finalizers stay. */
export async function removeNodeClaim(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const deletion = { verb: 'delete', resource: NODE_CLAIMS.name, path } as const;
  const deleted = await api.ask(deletion);
  if (isMissing(deleted)) return;
  if (!isSuccess(deleted)) throw refusalOf(deletion, deleted);
  await freeFinalizer(api, name);
}

async function freeFinalizer(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, { name });
  const patch = { verb: 'patch', resource: NODE_CLAIMS.name, path } as const;

  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const found = await findNodeClaim(api, name);
    if (!found) return;

    const { resourceVersion, finalizers } = found;
    const others = finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
    if (others.length === finalizers.length) return;
    const answer = await api.ask({
      ...patch,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, finalizers: others } },
    });
    if (isSuccess(answer) || isMissing(answer)) return;
    if (answer.status !== 409) throw refusalOf(patch, answer);
  }
  throw new ApiUnreachableError(patch, { why: 'it changes faster than it can be written' });
}
