import * as z from 'zod';
import type { ClusterLookup, ClusterRegistry } from '../../ports/deleted-cluster.ts';
import { toClusterIdentity } from '../dynamodb/cluster-identities.ts';
import { parseJson } from '../parse-json.ts';
import type { AwsCredentials } from '../signed-request.ts';
import { getSigned, toEndpoint } from './single-request.ts';

export interface RegistrySettings {
  readonly cluster: string;
  readonly region: string;
  /** Undefined for the region's own endpoint. */
  readonly endpoint?: string;
}

const SERVICE = 'eks';
const MAX_ERROR_LENGTH = 300;

const answerSchema = z.object({
  cluster: z.object({
    arn: z.string(),
    // A cluster that is being created has none yet.
    certificateAuthority: z.object({ data: z.string().default('') }).prefault({}),
  }),
});

/**
 * Asks EKS for the cluster.
 *
 * @see Amazon EKS API, DescribeCluster
 */
export function eksClusterRegistry(
  { cluster, region, endpoint = toEndpoint(SERVICE, region) }: RegistrySettings,
  credentials: () => Promise<AwsCredentials>,
): ClusterRegistry {
  const url = `${endpoint}/clusters/${encodeURIComponent(cluster)}`;

  return {
    async find() {
      try {
        const answer = await getSigned(url, { service: SERVICE, region }, credentials);
        return readAnswer(answer, await answer.text());
      } catch (error) {
        return unknown(`EKS cannot be reached: ${String(error)}`);
      }
    },
  };
}

function readAnswer({ ok, status, headers }: Response, text: string): ClusterLookup {
  if (!ok) {
    const error = headers.get('x-amzn-errortype') ?? '';
    // A proxy may answer 404 as well; only EKS names the error.
    return status === 404 && error.startsWith('ResourceNotFoundException')
      ? { outcome: 'not-found' }
      : unknown(`EKS answered ${status} ${error}: ${text.slice(0, MAX_ERROR_LENGTH)}`);
  }
  const { data } = answerSchema.safeParse(parseJson(text));
  if (!data) return unknown(`EKS's answer cannot be read: ${text.slice(0, MAX_ERROR_LENGTH)}`);
  const { arn, certificateAuthority } = data.cluster;
  const pem = Buffer.from(certificateAuthority.data, 'base64').toString();
  return { outcome: 'found', identity: { ...toClusterIdentity(pem), arn } };
}

const unknown = (why: string): ClusterLookup => ({ outcome: 'unknown', why });
