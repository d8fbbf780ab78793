import * as z from 'zod';
import { ApiMalformedAnswerError } from '../client/api-errors.ts';
import { toApiError } from '../client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';

/** EKS appends a plus to the minor version: `34+`. */
const versionSchema = z.object({
  major: z.string(),
  minor: z.string().transform((minor) => minor.replace(/\D/g, '')),
});
const serviceSchema = z.object({ spec: z.object({ clusterIP: z.string().optional() }) });

const VERSION_REQUEST: ApiRequest = { verb: 'get', resource: 'version', path: '/version' };
const DNS_REQUEST: ApiRequest = {
  verb: 'get',
  resource: 'services',
  path: '/api/v1/namespaces/kube-system/services/kube-dns',
};

/** The version of the control plane, for example `1.34`. */
export async function readKubernetesVersion(api: KubernetesApi): Promise<string> {
  const parsed = versionSchema.safeParse(await api.read(VERSION_REQUEST));
  if (!parsed.success) throw new ApiMalformedAnswerError(VERSION_REQUEST, { why: 'no version' });
  return `${parsed.data.major}.${parsed.data.minor}`;
}

/** The address of the cluster's DNS Service; `undefined` if there is no Service of that name. */
export async function readDnsIp(api: KubernetesApi): Promise<string | undefined> {
  const response = await api.send(DNS_REQUEST);
  if (response.status === 404) return undefined;
  if (!isSuccess(response)) throw toApiError(DNS_REQUEST, response);
  return serviceSchema.safeParse(response.body).data?.spec.clusterIP;
}
