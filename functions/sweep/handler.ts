import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamoClusterIdentities } from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { createDeletedClusterCheck } from '../../shared/composition/deleted-cluster.ts';
import { sweep } from '../../shared/controllers/sweep.ts';
import { reconcileWebhooks } from '../../shared/controllers/webhooks/reconcile.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { DELETED_CLUSTERS } from '../../shared/settings/tables/limits.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from '../support/client-timeouts.ts';
import { eachRecord } from '../support/each-record.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { metrics, publishMetrics } from '../support/metrics.ts';
import { portsFrom } from '../support/ports.ts';
import { type Environment, parseSettings, readTable } from '../support/settings.ts';
import { logger } from '../support/telemetry.ts';
import { timeLimit } from '../support/time-limit.ts';
import { readWorkerSettings } from '../support/worker-settings.ts';
import { guardPortsFrom } from './ports.ts';
import { sendOnOrSweep } from './send-on-or-sweep.ts';

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
function deletedClusterFrom(
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

const ports: PortsOf<'sweep'> = portsFrom(process.env);
const guard = guardPortsFrom(process.env);
const endDeletedCluster = deletedClusterFrom(process.env, ports);

/** A failed check of the webhooks runs again in a minute; it must not repeat the sweep. */
const guarded = (): Promise<void> =>
  reconcileWebhooks(guard).catch((error: unknown) => logger.error('hooks not guarded', { error }));

/** A deleted cluster has no API server, so this must not depend on the sweep. */
const deletedClusterEnded = (): Promise<void> =>
  endDeletedCluster().catch((error: unknown) => logger.error('deleted cluster not handled', { error }));

/** Waits for all parts, because Lambda freezes the process after the first failure is thrown. */
async function sweepAndGuard(from?: number): Promise<void> {
  const [swept] = await Promise.allSettled([sweep(ports, from), guarded(), deletedClusterEnded()]);
  await ports.cluster.storeView?.();
  if (swept.status === 'rejected') throw swept.reason;
}

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(timeLimit)
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(eachRecord(sendOnOrSweep({ ...ports, telemetry: metrics }, sweepAndGuard)));
