import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import * as z from 'zod/mini';
import {
  dynamoClusterIdentities,
  toClusterIdentity,
} from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { eksClusterRegistry } from '../../shared/aws/eks/cluster-registry.ts';
import { awsClusterResources } from '../../shared/aws/node-class/cluster-resources.ts';
import { dynamoTemplateUses } from '../../shared/aws/node-class/launch-templates.ts';
import {
  DEFAULT_DELETED_AFTER_MS,
  reconcileDeletedCluster,
} from '../../shared/controllers/garbage-collection/deleted-cluster.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { ClusterRegistry } from '../../shared/ports/deleted-cluster.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS } from '../support/client-timeouts.ts';
import { type Environment, parseSettings, readWorkerSettings } from '../support/settings.ts';
import { logger } from '../support/telemetry.ts';

const schema = z.object({
  DELETED_CLUSTER_AFTER_MINUTES: z.optional(z.string().check(z.regex(/^[1-9]\d{1,4}$/))),
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
  const {
    DELETED_CLUSTER_AFTER_MINUTES: minutes,
    AWS_ENDPOINT_URL: anyEndpoint,
    AWS_ENDPOINT_URL_EKS: endpoint = anyEndpoint,
  } = parseSettings(schema, environment);
  const { cluster, region, isIsolated = false } = settings;
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const table = dynamoTable(dynamo, settings);
  const deletedClusterPorts = {
    ...ports,
    registry: logFirstFailure(
      eksClusterRegistry(
        { cluster, region, ...(endpoint !== undefined && { endpoint }) },
        dynamo.config.credentials,
      ),
    ),
    sightings: dynamoClusterSightings(table),
    identities: dynamoClusterIdentities(table),
    resources: awsClusterResources(
      {
        ec2: new EC2Client(DEFAULT_TIMEOUTS),
        uses: dynamoTemplateUses(table),
        ...(!isIsolated && { iam: new IAMClient(DEFAULT_TIMEOUTS) }),
      },
      { cluster, region },
    ),
  };
  const own = toClusterIdentity(settings.certificateAuthority);
  const afterMs = minutes === undefined ? DEFAULT_DELETED_AFTER_MS : Number(minutes) * MINUTE_MS;
  return () => reconcileDeletedCluster(deletedClusterPorts, { own, afterMs });
}

/** A VPC may have no way to EKS: one line per cold start says so. */
function logFirstFailure(registry: ClusterRegistry): ClusterRegistry {
  let isLogged = false;
  return {
    async find() {
      const lookup = await registry.find();
      if (lookup.outcome === 'unknown' && !isLogged) {
        isLogged = true;
        logger.warn('a deleted cluster would not be noticed', { why: lookup.why });
      }
      return lookup;
    },
  };
}
