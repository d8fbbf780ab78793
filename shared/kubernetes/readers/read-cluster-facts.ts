import * as z from 'zod';
import { refusalOf } from '../client/api-responses.ts';
import { ApiMalformedAnswerError } from '../client/api-errors.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';

/** EKS adds a sign to the minor version: `34+`. */
const versionSchema = z.object({
  major: z.string(),
  minor: z.string().transform((minor) => minor.replace(/\D/g, '')),
});
const serviceSchema = z.object({ spec: z.object({ clusterIP: z.string().optional() }) });

const VERSION: ApiRequest = { verb: 'get', resource: 'version', path: '/version' };
const DNS: ApiRequest = {
  verb: 'get',
  resource: 'services',
  path: '/api/v1/namespaces/kube-system/services/kube-dns',
};

/** Of the control plane: `1.34`. */
export async function readVersion(api: KubernetesApi): Promise<string> {
  const parsed = versionSchema.safeParse(await api.read(VERSION));
  if (!parsed.success) throw new ApiMalformedAnswerError(VERSION, { why: 'no version' });
  return `${parsed.data.major}.${parsed.data.minor}`;
}

/** Where pods ask for names. Absent: the cluster has no Service of that name. */
export async function readDnsIp(api: KubernetesApi): Promise<string | undefined> {
  const answer = await api.ask(DNS);
  if (answer.status === 404) return undefined;
  if (!isSuccess(answer)) throw refusalOf(DNS, answer);
  return serviceSchema.safeParse(answer.body).data?.spec.clusterIP;
}
