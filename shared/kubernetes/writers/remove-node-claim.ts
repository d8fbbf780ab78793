import { refusalOf } from '../client/api-responses.ts';
import { ApiUnreachableError } from '../client/api-errors.ts';
import { NODE_CLAIMS, objectPath } from '../client/api-resources.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { TERMINATION_FINALIZER } from './node-claim-manifest.ts';
import { findNodeClaim, isMissing } from './stored-node-claim.ts';

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
