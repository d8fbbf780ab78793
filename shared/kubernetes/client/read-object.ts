import { type ApiResource, objectPath } from './api-resources.ts';
import { toApiError } from './api-responses.ts';
import { type ApiResponse, isSuccess, type KubernetesApi } from './kubernetes-api.ts';

/**
 * Reads an object; `undefined` if it does not exist.
 *
 * @param isMissing - without it, an object of a kind that is not served does not exist either
 */
export async function readObject(
  api: Pick<KubernetesApi, 'send'>,
  resource: ApiResource,
  id: { readonly name: string; readonly namespace?: string },
  isMissing: (response: ApiResponse) => boolean = ({ status }) => status === 404,
): Promise<unknown> {
  const path = objectPath(resource, id);
  const request = { verb: 'get', resource: resource.name, path } as const;
  const response = await api.send(request);
  if (isMissing(response)) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return response.body;
}
