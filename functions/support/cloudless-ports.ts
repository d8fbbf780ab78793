import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import packageJson from '../../package.json' with { type: 'json' };
import { dynamoClusterIdentities, toClusterIdentity } from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoTable, sharedTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../shared/aws/queues/work-queue.ts';
import { s3DecisionLog } from '../../shared/aws/s3-decision-log.ts';
import { s3ViewStore } from '../../shared/aws/s3-view-store.ts';
import { reportDroppedEvents } from '../../shared/composition/dropped-events.ts';
import { logClaimPhases } from '../../shared/composition/log-claim-phases.ts';
import { withPublishedEvents } from '../../shared/composition/published-events.ts';
import { createTableRecords, withZonalShifts } from '../../shared/composition/records.ts';
import { createRecordRedaction } from '../../shared/composition/redact-records.ts';
import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import { withSingleWakeUps } from '../../shared/controllers/support/hints.ts';
import { withClusterIdentityCheck } from '../../shared/controllers/support/ownership.ts';
import { rememberObservations } from '../../shared/kubernetes/events/event-subjects.ts';
import { kubernetesEvents } from '../../shared/kubernetes/events/kubernetes-events.ts';
import { claimKubernetesCluster, warmKubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesOwnership } from '../../shared/kubernetes/kubernetes-ownership.ts';
import { DRAIN_GROUP } from '../../shared/kubernetes/setup/manifest.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { Deciders } from '../../shared/record/redact-decision.ts';
import { PUBLISHED_EVENTS } from '../../shared/settings/tables/events.ts';
import { CAPS } from '../../shared/settings/tables/limits.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from './client-timeouts.ts';
import { readDecisions } from './decision-settings.ts';
import { functionEksApi } from './function-eks-api.ts';
import { log, withLoggedCalls } from './logged-calls.ts';
import { metrics } from './metrics.ts';
import { reportUnreadable } from './report-unreadable.ts';
import type { Environment } from './settings.ts';
import { readTable } from './settings.ts';
import { shiftSourceFrom } from './shift-source.ts';
import { systemClock } from './system-clock.ts';
import { readWorkerSettings } from './worker-settings.ts';

/**
 * A function reads the whole cluster, in a view that it keeps up to date between invocations, or only
 * the objects of one claim at a time.
 */
export type ClusterScope = 'cluster' | 'claim';

/** All ports except EC2, whose client and catalogue are a third of a function's code. */
export type CloudlessPorts = Omit<Ports, 'cloud'>;

/**
 * Wires the adapters to the ports, once per cold start. `shared/composition` holds what `mortise
 * controller` needs as well.
 *
 * @param deciders - the decisions that the function makes, to record them without names
 * @returns the ports, and the parts from which the missing one is built
 * @throws SettingsError - a variable is missing or wrong
 */
export function cloudlessPortsFrom(environment: Environment, scope: ClusterScope = 'cluster', deciders: Deciders = {}) {
  const settings = readWorkerSettings(environment);
  const { bucket } = settings;
  const clock = systemClock;
  const s3 = new S3Client(DEFAULT_TIMEOUTS);
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const table = dynamoTable(dynamo, settings, reportUnreadable);
  const learned = settings.learnedTable && sharedTable(dynamo, settings.learnedTable, reportUnreadable);
  const records = withZonalShifts(createTableRecords(table, learned || table), settings);
  const decisions = readDecisions(environment);
  const api = functionEksApi(environment, settings, dynamo);
  const clusterParts = { api, clock, gates: decisions.gates, drainGroups: [DRAIN_GROUP] };
  const views = s3ViewStore(s3, {
    bucket,
    certificateAuthority: settings.certificateAuthority,
    release: packageJson.version,
    log,
  });
  const { cluster, observations } = rememberObservations(
    scope === 'claim'
      ? claimKubernetesCluster(clusterParts)
      : warmKubernetesCluster({
          ...clusterParts,
          views,
          onExpired: (resource) => metrics.count('mortise_watches_expired_total', { resource }),
        }),
  );

  const ports: CloudlessPorts = {
    clock,
    settings: decisions,
    launchCaps: toLaunchCaps(readTable(CAPS, environment)),
    ...records,
    ...shiftSourceFrom(environment, dynamo.config.credentials),
    nodeClaims: logClaimPhases(records.nodeClaims, log),
    cluster,
    queue: withSingleWakeUps(
      sqsWorkQueue(sdkMessageSender(new SQSClient(SHORT_TIMEOUTS)), clock, settings.queues),
      records.wakeUps,
      clock,
    ),
    ownership: withClusterIdentityCheck(
      kubernetesOwnership({ api, clock, self: { stack: settings.table, mode: 'lambda' } }),
      dynamoClusterIdentities(table),
      toClusterIdentity(settings.certificateAuthority),
    ),
    decisionLog: kubernetesEvents(
      { api, clock, observations, onDropped: reportDroppedEvents(metrics, log) },
      deduplicateEvents(
        withPublishedEvents(
          {
            ...readTable(PUBLISHED_EVENTS, environment),
            cluster: settings.cluster,
            client: UNREACHABLE_TIMEOUTS,
            log,
          },
          s3DecisionLog(s3, {
            ...{ bucket, release: packageJson.version, log },
            ...(settings.redactsNames && { redact: createRecordRedaction(table, deciders) }),
          }),
        ),
      ),
    ),
  };
  return {
    ports: withLoggedCalls(ports),
    settings,
    decisions,
    s3,
    cloudParts: { clock, log, ...records },
  };
}
