import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoCommands } from '../../shared/aws/dynamo-commands.ts';
import { dynamoNodeClaims } from '../../shared/aws/dynamo-node-claims.ts';
import { dynamoNominations } from '../../shared/aws/dynamo-nominations.ts';
import { dynamoTable } from '../../shared/aws/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../shared/aws/dynamo-unavailable-offerings.ts';
import { ec2Cloud } from '../../shared/aws/ec2-cloud.ts';
import { ec2Market } from '../../shared/aws/ec2-market.ts';
import type { Log } from '../../shared/aws/log.ts';
import { s3Journal } from '../../shared/aws/s3-journal.ts';
import { sqsWorkQueue } from '../../shared/aws/sqs-work-queue.ts';
import { quietJournal } from '../../shared/controllers/quiet-journal.ts';
import { eksTokens } from '../../shared/kubernetes/eks-token.ts';
import { createTransport } from '../../shared/kubernetes/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../../shared/kubernetes/kubernetes-api.ts';
import { kubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { findNodeClassIn } from './find-node-class.ts';
import { type Environment, readWorkerSettings, type WorkerSettings } from './settings.ts';
import { systemClock } from './system-clock.ts';
import { logger } from './telemetry.ts';

/**
 * Everything outside, once per cold start.
 *
 * @throws SettingsError - the deployment forgot something: it shows at the first message
 */
export function portsFrom(environment: Environment): Ports {
  const settings = readWorkerSettings(environment);
  const { cluster, bucket, queues, zones, region, subnets, launchTemplateId } = settings;
  const clock = systemClock;
  const dynamo = new DynamoDBClient({});
  const ec2 = new EC2Client({});
  const table = dynamoTable(dynamo, settings);
  const api = apiOf(settings, dynamo);
  const unavailableOfferings = dynamoUnavailableOfferings(table);

  return {
    clock,
    cluster: kubernetesCluster({ api, clock }),
    cloud: ec2Cloud(
      {
        ec2,
        clock,
        market: ec2Market(ec2, { zones, clock, log }),
        unavailableOfferings,
        findNodeClass: findNodeClassIn(api),
      },
      { cluster, region, subnets, launchTemplateId },
    ),
    nodeClaims: dynamoNodeClaims(table),
    commands: dynamoCommands(table),
    nominations: dynamoNominations(table),
    unavailableOfferings,
    queue: sqsWorkQueue(new SQSClient({}), clock, queues),
    journal: quietJournal(s3Journal(new S3Client({}), { bucket, log })),
  };
}

const log: Log = ({ level, message, fields }) => logger[level](message, { ...fields });

function apiOf(settings: WorkerSettings, { config }: DynamoDBClient): KubernetesApi {
  const { cluster, region, endpoint: url, certificateAuthority } = settings;
  return createKubernetesApi({
    transport: createTransport({ url, certificateAuthority }),
    tokens: eksTokens({
      cluster,
      region,
      clock: systemClock,
      // The function's own: every client of the SDK finds the same.
      credentials: async () => {
        const { expiration, ...credentials } = await config.credentials();
        return { ...credentials, ...(expiration && { expiresAt: expiration.getTime() }) };
      },
    }),
  });
}
