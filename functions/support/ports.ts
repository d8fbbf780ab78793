import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { identityOf } from '../../shared/aws/dynamodb/cluster-identity.ts';
import { dynamoClusterIdentities } from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoTable, sharedTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { Log } from '../../shared/aws/log.ts';
import { s3MarketStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import { s3Journal } from '../../shared/aws/s3-journal.ts';
import { sdkMessages } from '../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../shared/aws/queues/work-queue.ts';
import { measuredPorts } from '../../shared/controllers/metrics/instrument-ports.ts';
import { quietJournal } from '../../shared/controllers/support/deduplicate-events.ts';
import { sameClusterOnly } from '../../shared/controllers/support/same-cluster-only.ts';
import { singleWakeUps } from '../../shared/controllers/support/hints.ts';
import { eksApi } from '../../shared/composition/eks-api.ts';
import { launchingCloud } from '../../shared/composition/cloud.ts';
import { recordsWithShifts } from '../../shared/composition/records-with-shifts.ts';
import { tableRecords } from '../../shared/composition/records.ts';
import { tracedClaims } from '../../shared/composition/log-claim-phases.ts';
import { warmKubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesEvents, rememberingCluster } from '../../shared/kubernetes/events/kubernetes-events.ts';
import { kubernetesOwnership } from '../../shared/kubernetes/kubernetes-ownership.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { readDecisions } from './decisions.ts';
import { metrics } from './figures.ts';
import { LAUNCH_TIMEOUTS, SHORT_TIMEOUTS, DEFAULT_TIMEOUTS } from './patience.ts';
import { type Environment, readWorkerSettings } from './settings.ts';
import { shiftSourceFrom } from './shift-source.ts';
import { systemClock } from './system-clock.ts';
import { logger } from './telemetry.ts';
import { readTiming } from './timing.ts';

/**
 * Everything outside, once per cold start. What the long-running controller needs as well is wired
 * in `shared/home`.
 *
 * @throws SettingsError - the deployment forgot something: it shows at the first message
 */
export function portsFrom(environment: Environment): Ports {
  const settings = readWorkerSettings(environment);
  const { bucket } = settings;
  const clock = systemClock;
  const s3 = new S3Client(DEFAULT_TIMEOUTS);
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const table = dynamoTable(dynamo, settings);
  const learned = settings.learnedTable && sharedTable(dynamo, settings.learnedTable);
  const records = recordsWithShifts(tableRecords(table, learned || table), settings);
  const decisions = readDecisions(environment);
  const api = eksApi(settings, { clock, client: dynamo });
  const { cluster, seen } = rememberingCluster(
    warmKubernetesCluster({ api, clock, gates: decisions.gates }),
  );

  const ports: Ports = {
    clock,
    settings: decisions,
    ...records,
    ...shiftSourceFrom(environment, dynamo.config.credentials),
    nodeClaims: tracedClaims(records.nodeClaims, log),
    cluster,
    cloud: launchingCloud(
      {
        ec2: new EC2Client(LAUNCH_TIMEOUTS),
        clock,
        log,
        ...records,
        marketStore: s3MarketStore(s3, bucket),
      },
      settings,
      decisions,
    ),
    queue: singleWakeUps(
      sqsWorkQueue(
        sdkMessages(new SQSClient(SHORT_TIMEOUTS)),
        clock,
        settings.queues,
        readTiming(environment).bucketMs,
      ),
      records.wakeUps,
      clock,
    ),
    ownership: sameClusterOnly(
      kubernetesOwnership({ api, clock, self: { stack: settings.table, mode: 'lambda' } }),
      dynamoClusterIdentities(table),
      identityOf(settings.certificateAuthority),
    ),
    journal: kubernetesEvents({ api, clock, seen }, quietJournal(s3Journal(s3, { bucket, log }))),
  };
  return measuredPorts(ports, metrics);
}

const log: Log = ({ level, message, fields }) => logger[level](message, { ...fields });
