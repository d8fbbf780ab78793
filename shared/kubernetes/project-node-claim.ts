import * as z from 'zod';
import type { NodeClaim } from '../model/node-claim.ts';
import { refusalOf } from './api-answers.ts';
import { ApiMalformedAnswerError, ApiUnreachableError } from './api-errors.ts';
import { NODE_CLAIMS, objectPath } from './api-resources.ts';
import { readStatus } from './api-status.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './kubernetes-api.ts';
import {
  nodeClaimManifest,
  nodeClaimStatus,
  TERMINATION_FINALIZER,
} from './node-claim-manifest.ts';

/** Who owns the fields that we apply. */
const FIELD_MANAGER = 'mortise';
const MOST_ATTEMPTS = 4;

const storedSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    generation: z.number().default(1),
    finalizers: z.array(z.string()).default([]),
  }),
});
type Stored = z.output<typeof storedSchema>['metadata'];

/** Server-side apply: creates or corrects what is ours, and leaves alone what others wrote. */
export async function projectNodeClaim(api: KubernetesApi, claim: NodeClaim): Promise<void> {
  const request = applying(claim.name, nodeClaimManifest(claim));
  const { generation } = readStored(request, await api.read(request));

  const status = applying(claim.name, nodeClaimStatus(claim, generation), 'status');
  const answer = await api.ask(status);
  // Gone in between: the record's next step shows it again.
  if (!isSuccess(answer) && !isMissing(answer)) throw refusalOf(status, answer);
}

const applying = (name: string, body: object, subresource?: 'status'): ApiRequest => ({
  verb: 'patch',
  resource: subresource ? `${NODE_CLAIMS.name}/${subresource}` : NODE_CLAIMS.name,
  path: objectPath(NODE_CLAIMS, { name }, subresource),
  query: { fieldManager: FIELD_MANAGER, force: 'true' },
  contentType: 'application/apply-patch+yaml',
  body,
});

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
  const reading = { verb: 'get', resource: NODE_CLAIMS.name, path } as const;
  const patch = { verb: 'patch', resource: NODE_CLAIMS.name, path } as const;

  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const found = await api.ask(reading);
    if (isMissing(found)) return;
    if (!isSuccess(found)) throw refusalOf(reading, found);

    const { resourceVersion, finalizers } = readStored(reading, found.body);
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

/** The object is missing, not its kind: that one is told without a Status. */
const isMissing = ({ status, body }: { status: number; body: unknown }): boolean =>
  status === 404 && readStatus(body).reason === 'NotFound';

function readStored(request: ApiRequest, body: unknown): Stored {
  const parsed = storedSchema.safeParse(body);
  if (!parsed.success) throw new ApiMalformedAnswerError(request, { why: 'no NodeClaim' });
  return parsed.data.metadata;
}
