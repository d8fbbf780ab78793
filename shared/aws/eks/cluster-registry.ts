import * as z from 'zod';
import { SECOND_MS } from '../../model/time.ts';
import type { ClusterLookup, ClusterRegistry } from '../../ports/deleted-cluster.ts';
import { toClusterIdentity } from '../dynamodb/cluster-identities.ts';
import { parseJson } from '../parse-json.ts';
import { type AwsCredentials, fetchSigned } from '../signed-request.ts';

export interface RegistrySettings {
  readonly cluster: string;
  readonly region: string;
  /** Undefined for the region's own endpoint. */
  readonly endpoint?: string;
}

const SERVICE = 'eks';
const TIMEOUT_MS = 4 * SECOND_MS;
const RETRIES = 1;
const FIRST_RETRY_AFTER_MS = 50;
const MAX_ERROR_LENGTH = 300;

const answerSchema = z.object({
  cluster: z.object({
    arn: z.string(),
    // A cluster that is being created has none yet.
    certificateAuthority: z.object({ data: z.string().default('') }).prefault({}),
  }),
});

/**
 * Asks EKS for the cluster. The single request is signed here, because the SDK's client is larger
 * than all other code of the function.
 *
 * @see Amazon EKS API, DescribeCluster
 */
export function eksClusterRegistry(
  { cluster, region, endpoint = toEndpoint(region) }: RegistrySettings,
  credentials: () => Promise<AwsCredentials>,
): ClusterRegistry {
  const url = `${endpoint}/clusters/${encodeURIComponent(cluster)}`;

  return {
    async find() {
      try {
        const scope = { service: SERVICE, region };
        const answer = await fetchSigned({ method: 'GET', url }, scope, await credentials(), {
          retries: RETRIES,
          firstDelayMs: FIRST_RETRY_AFTER_MS,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        return readAnswer(answer, await answer.text());
      } catch (error) {
        return unknown(`EKS cannot be reached: ${String(error)}`);
      }
    },
  };
}

const toEndpoint = (region: string): string =>
  `https://${SERVICE}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

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
