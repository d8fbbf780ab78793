import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import * as z from 'zod';
import type { Json } from '../../shared/kubernetes/client/json.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { CliError, type KnownProblem } from '../errors.ts';

/** Rights in the cluster beside those of `mortise:reader`. Without one of them, a node could stay behind. */
const RIGHTS = [
  { group: '', resource: 'pods', verb: 'create', isNamespaced: true },
  { group: '', resource: 'pods', verb: 'delete', isNamespaced: true },
  { group: 'karpenter.sh', resource: 'nodeclaims', verb: 'list', isNamespaced: false },
  { group: 'karpenter.sh', resource: 'nodeclaims', verb: 'delete', isNamespaced: false },
  { group: 'events.k8s.io', resource: 'events', verb: 'list', isNamespaced: true },
] as const;

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

/**
 * Asks the API server for all rights before anything is created.
 *
 * @throws CliError - `forbidden`, with each right that is missing
 */
export async function checkRights(
  api: KubernetesApi,
  { namespace, where }: { readonly namespace: string; readonly where: string },
): Promise<void> {
  const missing = await Promise.all(
    RIGHTS.map(async ({ group, resource, verb, isNamespaced }): Promise<KnownProblem[]> => {
      const attributes = { group, resource, verb, ...(isNamespaced && { namespace }) };
      const body = await api.read({
        ...{ verb: 'create', resource: 'selfsubjectaccessreviews' },
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: attributes },
        } satisfies Json<V1SelfSubjectAccessReview>,
      });
      if (reviewSchema.parse(body).status.allowed) return [];
      const namespaceText = isNamespaced ? ` in namespace ${namespace}` : '';
      return [
        {
          ...{ code: 'forbidden', what: `may not ${verb} ${resource}${namespaceText}`, where },
          why: 'no role of RBAC gives the right',
          fix: 'bind the role of "try-launch" in docs/reference/cli.md to your user',
        },
      ];
    }),
  );
  if (missing.flat().length > 0) throw new CliError(missing.flat());
}
