import { hostname } from 'node:os';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { dynamoClusterIdentities } from '../../shared/aws/dynamodb/cluster-identities.ts';
import { dynamoClusterSightings } from '../../shared/aws/dynamodb/cluster-sightings.ts';
import { dynamoInstallations } from '../../shared/aws/dynamodb/installations.ts';
import type { DynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { Log } from '../../shared/aws/log.ts';
import type { AwsCredentials } from '../../shared/aws/signed-request.ts';
import { createCloud } from '../../shared/composition/cloud.ts';
import { createDeletedClusterCheck } from '../../shared/composition/deleted-cluster.ts';
import { reportDroppedEvents } from '../../shared/composition/dropped-events.ts';
import { logClaimPhases } from '../../shared/composition/log-claim-phases.ts';
import { createNodeClassPorts } from '../../shared/composition/node-class-ports.ts';
import { withPublishedEvents } from '../../shared/composition/published-events.ts';
import { withZonalShifts } from '../../shared/composition/records.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { rememberObservations } from '../../shared/kubernetes/events/event-subjects.ts';
import { kubernetesEvents } from '../../shared/kubernetes/events/kubernetes-events.ts';
import { watchedKubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesOwnership } from '../../shared/kubernetes/kubernetes-ownership.ts';
import type { ClusterView } from '../../shared/kubernetes/watch/cluster-view.ts';
import { memoryClusterIdentities, memoryClusterSightings } from '../../shared/memory/cluster-records.ts';
import type { OwnerMode } from '../../shared/model/ownership.ts';
import { DEFAULT_BUS } from '../../shared/model/published-events/kinds.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import type { Installations } from '../../shared/ports/cluster-setup.ts';
import type { Clock, Ports, Telemetry } from '../../shared/ports/ports.ts';
import { CLASSES } from '../../shared/settings/tables/classes.ts';
import { PUBLISHED_EVENTS } from '../../shared/settings/tables/events.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import type { ClusterEndpoint } from '../cluster/find-cluster.ts';
import { type DeployedStack, findStack } from '../cluster/find-stack.ts';
import { type ClusterChoice, type ReachedCluster, reachCluster } from '../cluster/reach-cluster.ts';
import { type CliError, fail } from '../errors.ts';
import { readCliLaunchCaps } from '../settings/launch-caps.ts';
import { readCliDecisionSettings, readCliSettings } from '../settings/read-settings.ts';
import { createDryClasses } from './dry-ports.ts';
import { createDecisionLog, createPriceClients, createRecords, openTable } from './stack-records.ts';

/** A cluster with everything that its controllers need, except the queue. */
export interface ControllerRuntime {
  readonly reached: ReachedCluster;
  /** `undefined` if no stack exists: records stay in memory, and EC2's notices are not received. */
  readonly stack: DeployedStack | undefined;
  readonly ports: Omit<Ports, 'queue'>;
  /** How the stack set up the cluster; `undefined` without a stack. */
  readonly installations: Installations | undefined;
  readonly view: Pick<ClusterView, 'subscribe' | 'close'>;
  /**
   * Asks EKS for the cluster, and ends what a deleted one has left. Uses no API server.
   *
   * @param afterMs - how long EKS must not have the cluster
   */
  endDeletedCluster(afterMs: number): () => Promise<void>;
}

export interface ControllerRuntimeOptions {
  /** False keeps the resolved EC2NodeClasses in memory only. */
  readonly act: boolean;
  readonly mode: OwnerMode;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The groups of the process that drains nodes; `undefined` if this process does. */
  readonly drainGroups?: readonly string[];
  /** Changes how the cluster is read, for commands that accept gaps. */
  readonly wrapApi?: (api: KubernetesApi) => KubernetesApi;
  /** Counts watches whose history was lost, and Events that were not written. */
  readonly telemetry?: Pick<Telemetry, 'count'>;
}

/**
 * Connects to the cluster, finds its stack and wires the ports.
 *
 * @throws CliError - `bad-value`, a setting is wrong; those of `reachCluster` and `findStack`
 */
export async function createControllerRuntime(
  choice: ClusterChoice,
  options: ControllerRuntimeOptions,
): Promise<ControllerRuntime> {
  const { clock, log, mode, act, telemetry = { count: () => {} } } = options;
  const decisions = readCliDecisionSettings(options.env);
  const launchCaps = readCliLaunchCaps(options.env);
  const classSettings = readCliSettings(CLASSES, options.env);
  const eventSettings = readCliSettings(PUBLISHED_EVENTS, options.env);
  const reached = await reachCluster(choice, { ...options, component: 'controller' });
  const { api, server } = reached;
  const settings = toClientSettings({ ...choice, region: server.region });
  const stack = await findStack(server.cluster, settings);
  const { followsShifts } = classSettings;
  const records = withZonalShifts(createRecords(stack, server.cluster, { settings, act, log }), {
    followsShifts,
  });
  const ec2 = new EC2Client(settings);
  const { credentials } = ec2.config;
  const shiftSource = followsShifts && act ? await openShiftSource(server, { clock, credentials }) : undefined;
  const { gates } = decisions;
  const { subscribe, close, ...watched } = watchedKubernetesCluster({
    ...{ api, clock, gates },
    ...(options.drainGroups && { drainGroups: options.drainGroups }),
    onExpired: (resource) => telemetry.count('mortise_watches_expired_total', { resource }),
  });
  const { cluster, observations } = rememberObservations(watched);
  const table = stack && openTable(stack, server.cluster, settings);
  const decisionLog = deduplicateEvents(
    withPublishedEvents(
      {
        ...(act && mode === 'controller' ? eventSettings : NO_EVENTS),
        cluster: server.cluster,
        client: { ...settings, ...UNREACHABLE },
        log,
      },
      createDecisionLog(stack, table, { settings, log }),
    ),
  );
  const clients = { ec2, eks: new EKSClient(settings), iam: new IAMClient(settings) };
  const ssm = new SSMClient(settings);
  const classes = createNodeClassPorts(
    { api, clock, ...clients, ssm, ...records },
    { ...server, ...classSettings },
    decisions,
  );

  const cloud = createCloud(
    {
      ec2,
      clock,
      log,
      ...records,
      ...createPriceClients(stack, { ...choice, region: server.region }, options.env),
    },
    server,
    decisions,
  );
  return {
    reached,
    stack,
    installations: table && dynamoInstallations(table),
    view: { subscribe, close },
    endDeletedCluster: (afterMs) =>
      createDeletedClusterCheck(
        {
          ports: { clock, cloud, decisionLog, ...records, ...createSightingRecords(table) },
          ec2,
          iam: new IAMClient({ ...settings, ...UNREACHABLE }),
          credentials,
          log,
        },
        { ...server, afterMs, ...toEksEndpoint(options.env) },
      ),
    ports: {
      clock,
      settings: decisions,
      launchCaps,
      ...records,
      ...(shiftSource && { shiftSource }),
      nodeClaims: logClaimPhases(records.nodeClaims, log),
      cluster,
      cloud,
      classes: act ? classes : createDryClasses(classes),
      ownership: kubernetesOwnership({ api, clock, self: toOwner(server.cluster, stack, mode) }),
      decisionLog: act
        ? kubernetesEvents({ api, clock, observations, onDropped: reportDroppedEvents(telemetry, log) }, decisionLog)
        : decisionLog,
    },
  };
}

/** A dry run does nothing that could be published; other commands tell their user. */
const NO_EVENTS = { kinds: [], bus: DEFAULT_BUS } as const;

/** A VPC without a way to a service drops the calls; no check and no event must wait for them. */
const UNREACHABLE = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
} as const;

/** Without a stack, the wait for the cluster's return begins again with each process. */
const createSightingRecords = (table: DynamoTable | undefined) =>
  table
    ? { sightings: dynamoClusterSightings(table), identities: dynamoClusterIdentities(table) }
    : { sightings: memoryClusterSightings(), identities: memoryClusterIdentities() };

/** The variables by which the SDKs find a local AWS. */
function toEksEndpoint({ AWS_ENDPOINT_URL_EKS, AWS_ENDPOINT_URL }: EndpointVariables) {
  const eksEndpoint = AWS_ENDPOINT_URL_EKS || AWS_ENDPOINT_URL;
  return eksEndpoint ? { eksEndpoint } : {};
}

interface EndpointVariables {
  readonly AWS_ENDPOINT_URL_EKS?: string | undefined;
  readonly AWS_ENDPOINT_URL?: string | undefined;
}

/** The same owner identity as the functions: the table that they share. */
const toOwner = (cluster: string, stack: DeployedStack | undefined, mode: OwnerMode) => ({
  stack: stack?.table ?? `memory-${cluster}`,
  mode,
  // An uninstall may be resumed on another machine, so only a controller names its process.
  ...(mode === 'controller' ? { process: `${hostname()}-${process.pid}` } : {}),
});

interface ArcAccess {
  readonly clock: Clock;
  readonly credentials: () => Promise<AwsCredentials>;
  /** `undefined` for the region's endpoint. */
  readonly endpoint?: string;
}

/**
 * Opens the source of the cluster's zonal shifts, after checking that ARC knows the cluster.
 *
 * @throws CliError - `bad-value`, the cluster is not registered with ARC; `forbidden`, the role may not
 *   ask ARC
 */
export async function openShiftSource(
  { cluster, region, clusterArn }: ClusterEndpoint,
  { clock, credentials, endpoint }: ArcAccess,
): Promise<ShiftSource> {
  if (clusterArn === undefined) throw toNotRegisteredError(cluster);
  const target = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  const source = arcShiftSource(target, credentials);
  const answer = await source.findShifts(clock.now());
  if (answer.outcome === 'not-registered') throw toNotRegisteredError(cluster);
  // Any other failure may pass, and must not keep the controller from starting.
  if (answer.outcome === 'unknown' && answer.isDenied) throw toDeniedError(answer.why);
  return source;
}

const toDeniedError = (why: string): CliError =>
  fail({
    ...{ code: 'forbidden', what: 'AWS does not allow it', where: 'ENABLE_ZONAL_SHIFT', why },
    fix: 'allow arc-zonal-shift:GetManagedResource: ENABLE_ZONAL_SHIFT=true mortise controller --print-setup iam',
  });

const toNotRegisteredError = (cluster: string): CliError =>
  fail({
    code: 'bad-value',
    what: `cluster ${cluster} is not registered with ARC zonal shift`,
    where: 'ENABLE_ZONAL_SHIFT',
    fix: `aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true, or leave the variable out`,
  });
