import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import * as z from 'zod/mini';
import { dynamoClusterIdentities } from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { createDeletedClusterCheck } from '../../shared/composition/deleted-cluster.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { DELETED_CLUSTERS } from '../../shared/settings/tables/limits.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from '../support/client-timeouts.ts';
import { type Environment, parseSettings, readTable } from '../support/settings.ts';
import { logger } from '../support/telemetry.ts';
import { readWorkerSettings } from '../support/worker-settings.ts';

const schema = z.object({
  // Endpoint of a local AWS, named as the SDKs name it.
  AWS_ENDPOINT_URL_EKS: z.optional(z.url()),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

/**
 * Wires what ends the remains of a deleted cluster. None of it uses the API server.
 *
 * @throws SettingsError - names every variable that is missing or wrong
 */
export function deletedClusterFrom(
  environment: Environment,
  ports: Pick<Ports, 'clock' | 'cloud' | 'nodeClaims' | 'decisionLog'>,
): () => Promise<void> {
  const settings = readWorkerSettings(environment);
  const { AWS_ENDPOINT_URL: anyEndpoint, AWS_ENDPOINT_URL_EKS: eksEndpoint = anyEndpoint } = parseSettings(
    schema,
    environment,
  );
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const table = dynamoTable(dynamo, settings);
  return createDeletedClusterCheck(
    {
      ports: {
        ...ports,
        sightings: dynamoClusterSightings(table),
        identities: dynamoClusterIdentities(table),
      },
      ec2: new EC2Client(DEFAULT_TIMEOUTS),
      iam: new IAMClient(settings.isIsolated ? UNREACHABLE_TIMEOUTS : DEFAULT_TIMEOUTS),
      credentials: dynamo.config.credentials,
      log: ({ level, message, fields }) => logger[level](message, { ...fields }),
    },
    {
      ...settings,
      afterMs: readTable(DELETED_CLUSTERS, environment).afterMinutes * MINUTE_MS,
      ...(eksEndpoint !== undefined && { eksEndpoint }),
    },
  );
}
