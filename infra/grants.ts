import type { Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { HINT_SENDERS, type HintSender, listHintSenders } from '../shared/ports/hint-senders.ts';
import { capitalized } from './capitalized.ts';
import { clusterArn } from './cluster-arn.ts';
import type { CatalogRefresh } from './constructs/catalog-refresh.ts';
import { ClusterAccess, type ClusterGroup } from './constructs/cluster-access.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import type { PollSource } from './constructs/poll-source.ts';
import type { Schedules } from './constructs/schedules.ts';
import type { Foundation } from './foundation.ts';
import { allow } from './rights/allow.ts';
import type { Fleet } from './rights/fleet.ts';
import {
  checkInstances,
  describeEc2,
  endInstances,
  nameInstances,
  readOfferingsAndPrices,
  readReservedInstances,
  rebootInstances,
} from './rights/instances.ts';
import { dryRunLaunches, encryptVolumes, launchInstances, passNodeRoles } from './rights/launch.ts';
import {
  createNodeAccess,
  createProfiles,
  findCluster,
  findTemplates,
  readImageParameters,
  removeProfiles,
  removeTemplates,
  resolveClasses,
} from './rights/node-classes.ts';
import {
  accessPrices,
  accessView,
  allowKey,
  type KeyService,
  publishEvents,
  ROW_ACTIONS,
  shareLearnedRows,
  storeDecisions,
} from './rights/records.ts';
import { readZonalShifts } from './rights/zonal-shifts.ts';
import type { Workers } from './workers.ts';

/** The key may be used through these services only, never by a call of KMS itself. */
export function grantKey(
  foundation: Foundation,
  functions: readonly HandlerFunction[],
  ...services: readonly Exclude<KeyService, 'lambda'>[]
): void {
  const actions = [
    'kms:Decrypt',
    // All but the environment is written as well.
    ...(services.length > 0 ? ['kms:GenerateDataKey'] : []),
    // DynamoDB's guide lists it for users of a table.
    ...(services.includes('dynamodb') ? ['kms:DescribeKey'] : []),
  ];
  const statement = allowKeyUse(foundation, actions, [...services, 'lambda']);
  if (statement) allow(functions, { statements: [statement] });
}

/**
 * Lets functions write the environment of another one. Lambda uses the rights of the caller to encrypt
 * it, and to create a grant for the function.
 *
 * @see docs.aws.amazon.com/lambda, "Securing Lambda environment variables"
 */
export function grantEnvironmentKey(foundation: Foundation, functions: readonly HandlerFunction[]): void {
  const encrypt = allowKeyUse(foundation, ['kms:Encrypt'], ['lambda']);
  const grant = allowKeyUse(foundation, ['kms:CreateGrant'], ['lambda']);
  if (!encrypt || !grant) return;
  grant.addCondition('Bool', { 'kms:GrantIsForAWSResource': 'true' });
  allow(functions, { statements: [encrypt, grant] });
}

/** The schedules send to encrypted queues. */
export function grantKeyToSchedules(foundation: Foundation, { role }: Schedules): void {
  const statement = allowKeyUse(foundation, ['kms:Decrypt', 'kms:GenerateDataKey'], ['sqs']);
  if (statement) role.addToPrincipalPolicy(statement);
}

const allowKeyUse = (
  { stack, options: { kmsKeyArn } }: Foundation,
  actions: readonly string[],
  services: readonly KeyService[],
): PolicyStatement | undefined =>
  kmsKeyArn === undefined ? undefined : allowKey(kmsKeyArn, actions, services, hostOf(stack));

const hostOf = ({ region, urlSuffix }: Stack): string => `${region}.${urlSuffix}`;

export function grantState({ table, snapshots }: Foundation, workers: Workers): void {
  for (const fn of Object.values(workers)) table.grant(fn, ...ROW_ACTIONS);
  const { provisioning, disruption, nodeLifecycle, sweep } = workers;
  const { bucketArn } = snapshots;
  allow([provisioning, disruption, sweep], storeDecisions(bucketArn));
  allow([provisioning, nodeLifecycle, disruption, sweep], accessPrices(bucketArn));
  allow([provisioning, disruption, sweep], accessView(bucketArn, 's3:GetObject'));
  allow([disruption, sweep], accessView(bucketArn, 's3:PutObject'));
}

/** In a table shared with other clusters: only the rows of learned facts. */
export function grantLearned(
  { stack, options: { learnedTable, learnedTableKey } }: Foundation,
  workers: Workers,
): void {
  if (learnedTable === undefined) return;
  const { provisioning, nodeLifecycle, disruption, interruption, sweep } = workers;
  const functions = [provisioning, nodeLifecycle, disruption, interruption, sweep];
  const table = { service: 'dynamodb', resource: 'table', resourceName: learnedTable };
  allow(functions, shareLearnedRows(stack.formatArn(table)));
  if (learnedTableKey === undefined) return;
  allow(functions, {
    statements: [allowKey(learnedTableKey, ROW_KEY_ACTIONS, ['dynamodb'], hostOf(stack))],
  });
}

/** DynamoDB's guide lists `kms:DescribeKey` for users of a table. */
const ROW_KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'];

/** No function may publish unless the option `eventKinds` is set, and none as another source. */
export function grantEvents({ stack, options: { eventKinds, eventBus } }: Foundation, workers: Workers): void {
  if (eventKinds.length === 0) return;
  const bus = { service: 'events', resource: 'event-bus', resourceName: eventBus };
  allow(Object.values(workers), publishEvents(stack.formatArn(bus)));
}

export function grantRefresh({ stack, options, snapshots }: Foundation, { fn }: CatalogRefresh): void {
  const fleet = { stack, cluster: options.cluster };
  if (options.readsReservedInstances) allow([fn], readReservedInstances(fleet));
  allow([fn], readOfferingsAndPrices(fleet), accessPrices(snapshots.bucketArn, 's3:PutObject'));
}

/** There is no intake if nothing calls webhooks. */
type HintSendingFunctions = Readonly<Record<Exclude<HintSender, 'eventIntake'>, HandlerFunction>> & {
  readonly eventIntake?: HandlerFunction;
};

/** Lets each function send the hints that the types of its ports let its code send. */
export function grantHints({ queues }: Foundation, senders: HintSendingFunctions): void {
  for (const sender of listHintSenders()) {
    const fn = senders[sender];
    if (!fn) continue;
    for (const topic of HINT_SENDERS[sender]) queues[topic].grant(fn, 'sqs:SendMessage');
  }
}

export function grantInstances({ stack, options, nodeRoleArns }: Foundation, workers: Workers): void {
  const fleet: Fleet = { stack, cluster: options.cluster };
  const { provisioning, nodeLifecycle, disruption, sweep, nodeClass } = workers;

  allow([provisioning, nodeLifecycle, disruption, sweep], describeEc2(fleet));
  // Lifecycle launches claims whose planner died after recording them; disruption launches
  // replacements.
  allow(
    [provisioning, nodeLifecycle, disruption],
    launchInstances(fleet),
    findTemplates(fleet),
    passNodeRoles(nodeRoleArns),
  );
  const { volumeKeys, imageParameters } = options;
  if (volumeKeys.length > 0) {
    allow([provisioning, nodeLifecycle, disruption], encryptVolumes(fleet, volumeKeys));
    nodeClass.addEnvironment('VOLUME_KEYS', volumeKeys.join());
  }
  if (imageParameters.length > 0) allow([nodeClass], readImageParameters(fleet, imageParameters));
  // The sweep ends instances that have no record.
  allow([nodeLifecycle, sweep], endInstances(fleet));
  allow([nodeLifecycle], rebootInstances(fleet));
  allow([sweep], nameInstances(fleet), checkInstances(fleet));
  // The sweep ends what a deleted cluster has left in the account.
  allow([sweep], findCluster(fleet), findTemplates(fleet), removeTemplates(fleet), removeProfiles(fleet));
  // A node class is validated by dry-run launches.
  allow(
    [nodeClass],
    dryRunLaunches(fleet),
    findTemplates(fleet),
    resolveClasses(fleet),
    createProfiles(fleet),
    removeProfiles(fleet),
    removeTemplates(fleet),
    passNodeRoles(nodeRoleArns, ['eks.amazonaws.com']),
    createNodeAccess(fleet, nodeRoleArns),
  );
}

export function grantClusterAccess(
  { scope, options }: Foundation,
  workers: Workers,
  poll: PollSource,
): readonly ClusterAccess[] {
  const { cluster } = options;
  const letIn = (name: string, fn: HandlerFunction, group: ClusterGroup): ClusterAccess =>
    new ClusterAccess(scope, `${capitalized(name)}Access`, { cluster, fn, group });

  return [
    letIn('provisioning', workers.provisioning, 'mortise:provisioning'),
    letIn('nodeLifecycle', workers.nodeLifecycle, 'mortise:node-lifecycle'),
    letIn('disruption', workers.disruption, 'mortise:disruption'),
    letIn('interruption', workers.interruption, 'mortise:interruption'),
    letIn('sweep', workers.sweep, 'mortise:sweep'),
    letIn('nodeClass', workers.nodeClass, 'mortise:node-class'),
    letIn('poll', poll.fn, 'mortise:poll'),
  ];
}

/** The poll function sends its own next message. */
export function grantPoll({ table }: Foundation, { fn, queue }: PollSource): void {
  table.grant(fn, 'dynamodb:GetItem', 'dynamodb:PutItem');
  queue.grant(fn, 'sqs:SendMessage');
}

/** The sweep queries ARC every minute; cluster-setup checks once that the cluster is registered. */
export function letFollowShifts({ stack, options }: Foundation, functions: readonly HandlerFunction[]): void {
  const fleet: Fleet = { stack, cluster: options.cluster };
  for (const fn of functions) fn.addEnvironment('CLUSTER_ARN', clusterArn(fleet));
  allow(functions, readZonalShifts(fleet));
}
