import { type ApiResource, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import type { NamedObject } from '../client/json.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';

/** A field manager of its own, separate from that of the NodeClaim projection. */
const FIELD_MANAGER = 'mortise-setup';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export const CRD_RESOURCE: ApiResource = {
  kind: 'CustomResourceDefinition',
  name: 'customresourcedefinitions',
  root: '/apis/apiextensions.k8s.io/v1',
};
export const HOOKS_RESOURCE: ApiResource = {
  kind: 'ValidatingWebhookConfiguration',
  name: 'validatingwebhookconfigurations',
  root: ADMISSION,
};

const SETUP_RESOURCES: readonly ApiResource[] = [
  CRD_RESOURCE,
  HOOKS_RESOURCE,
  { kind: 'ClusterRole', name: 'clusterroles', root: RBAC },
  { kind: 'ClusterRoleBinding', name: 'clusterrolebindings', root: RBAC },
  { kind: 'RoleBinding', name: 'rolebindings', root: RBAC },
  { kind: 'FlowSchema', name: 'flowschemas', root: '/apis/flowcontrol.apiserver.k8s.io/v1' },
];

/**
 * Server-side apply: creates the object, or restores our fields if another writer changed them.
 *
 * @returns the stored object
 */
export function applyObject(api: KubernetesApi, manifest: NamedObject): Promise<unknown> {
  return api.read({
    verb: 'patch',
    ...toRequestTarget(manifest),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
}

/**
 * @returns false if the object did not exist
 */
export async function deleteObject(
  api: KubernetesApi,
  object: Pick<NamedObject, 'kind' | 'metadata'>,
): Promise<boolean> {
  const request: ApiRequest = { verb: 'delete', ...toRequestTarget(object) };
  const response = await api.send(request);
  if (response.status === 404) return false;
  if (!isSuccess(response)) throw toApiError(request, response);
  return true;
}

/** Returns `undefined` if the object does not exist. */
export const findObject = (
  api: KubernetesApi,
  { kind, metadata }: Pick<NamedObject, 'kind' | 'metadata'>,
): Promise<unknown> => readObject(api, findResource(kind), metadata);

function toRequestTarget({ kind, metadata }: Pick<NamedObject, 'kind' | 'metadata'>) {
  const resource = findResource(kind);
  return { resource: resource.name, path: objectPath(resource, metadata) };
}

function findResource(kind: string): ApiResource {
  const resource = SETUP_RESOURCES.find((candidate) => candidate.kind === kind);
  if (!resource) throw new TypeError(`${kind} is no kind that a set-up has`);
  return resource;
}
