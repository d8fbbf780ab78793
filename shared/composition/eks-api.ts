import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { eksTokens } from '../aws/eks/eks-token.ts';
import { createHttpTransport } from '../kubernetes/client/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../kubernetes/client/kubernetes-api.ts';
import type { Clock } from '../ports/ports.ts';
import type { ApiServerSettings } from './settings.ts';

export interface EksApiDependencies {
  readonly clock: Clock;
  /** Any SDK client: all of them resolve the same credentials. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  readonly userAgent: string;
}

/** Connects to the API server of an EKS cluster, authenticated by the process's AWS credentials. */
export function createEksApi(
  settings: ApiServerSettings,
  { clock, client, userAgent }: EksApiDependencies,
): KubernetesApi {
  const { cluster, region, endpoint: url, certificateAuthority } = settings;
  return createKubernetesApi({
    userAgent,
    transport: createHttpTransport({ url, certificateAuthority }),
    tokens: eksTokens({
      cluster,
      region,
      clock,
      credentials: async () => {
        const { expiration, ...credentials } = await client.config.credentials();
        return { ...credentials, ...(expiration && { expiresAt: expiration.getTime() }) };
      },
    }),
  });
}
