import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import packageJson from '../../package.json' with { type: 'json' };
import { createEksApi } from '../../shared/composition/eks-api.ts';
import type { ApiServerSettings } from '../../shared/composition/settings.ts';
import { formatUserAgent, type KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import type { Environment } from './settings.ts';
import { systemClock } from './system-clock.ts';

/** Connects a function to the API server, under the function's name. */
export const functionEksApi = (
  environment: Environment,
  settings: ApiServerSettings,
  client: Pick<DynamoDBClient, 'config'>,
): KubernetesApi =>
  createEksApi(settings, {
    ...{ client, clock: systemClock },
    userAgent: formatUserAgent(packageJson.version, environment.POWERTOOLS_SERVICE_NAME ?? 'function'),
  });
