import * as z from 'zod';
import { ApiMalformedAnswerError } from '../client/api-errors.ts';
import { SERVICES } from '../client/api-resources.ts';
import type { ApiRequest, KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';

/** EKS appends a plus to the minor version: `34+`. */
const versionSchema = z.object({
  major: z.string(),
  minor: z.string().transform((minor) => minor.replace(/\D/g, '')),
});
const serviceSchema = z.object({ spec: z.object({ clusterIP: z.string().optional() }) });

const VERSION_REQUEST: ApiRequest = { verb: 'get', resource: 'version', path: '/version' };

/** The version of the control plane, for example `1.34`. */
export async function readKubernetesVersion(api: KubernetesApi): Promise<string> {
  const parsed = versionSchema.safeParse(await api.read(VERSION_REQUEST));
  if (!parsed.success) throw new ApiMalformedAnswerError(VERSION_REQUEST, { why: 'no version' });
  return `${parsed.data.major}.${parsed.data.minor}`;
}

/** The address of the cluster's DNS Service; `undefined` if there is no Service of that name. */
export async function readDnsIp(api: KubernetesApi): Promise<string | undefined> {
  const service = await readObject(api, SERVICES, { namespace: 'kube-system', name: 'kube-dns' });
  return serviceSchema.safeParse(service).data?.spec.clusterIP;
}
