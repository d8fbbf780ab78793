import { App, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';
import type { Fleet } from './fleet.ts';
import {
  checkInstances,
  describeEc2,
  endInstances,
  nameInstances,
  readPriceList,
  rebootInstances,
} from './instances.ts';
import { encryptVolumes, launchInstances, passNodeRoles } from './launch.ts';
import {
  createNodeAccess,
  createProfiles,
  findCluster,
  findTemplates,
  readImageParameters,
  removeProfiles,
  removeTemplates,
  resolveClasses,
} from './node-classes.ts';
import {
  accessPrices,
  accessRows,
  accessView,
  allowKey,
  publishEvents,
  receiveNotices,
  shareLearnedRows,
  storeDecisions,
} from './records.ts';
import { readZonalShifts } from './zonal-shifts.ts';

/** Texts that `mortise controller --print-setup` replaces by the user's own. */
const PLACEHOLDERS = {
  partition: '<partition>',
  region: '<region>',
  account: '<account>',
  cluster: '<cluster>',
  nodeRole: '<node-role>',
  volumeKeys: '<volume-keys>',
  imageParameters: '<image-parameters>',
  eventBus: '<event-bus>',
  queue: '<queue>',
  table: '<table>',
  learnedTable: '<learned-table>',
  bucket: '<bucket>',
  keys: '<keys>',
} as const;

const { partition, region, account, cluster, nodeRole } = PLACEHOLDERS;

/**
 * Builds the IAM policy of a controller from the statements of the functions, in parts: `always` has the
 * rights on EC2, IAM and EKS; the others depend on a variable, or on the stack beside which it runs.
 */
export function buildControllerPolicy(): unknown {
  // The CDK accepts no placeholder here.
  const target = { account: '000000000000', region: 'xx-placeholder-1' };
  const stack = new Stack(new App(), 'Policy', { env: target });
  const fleet: Fleet = { stack, cluster };
  const roleArns = [`arn:${partition}:iam::${account}:role/${nodeRole}`];
  const arn = (service: string, name: string): string => `arn:${partition}:${service}:${region}:${account}:${name}`;
  const always: readonly Right[] = [
    describeEc2(fleet),
    readPriceList(),
    checkInstances(fleet),
    launchInstances(fleet),
    nameInstances(fleet),
    endInstances(fleet),
    rebootInstances(fleet),
    findTemplates(fleet),
    removeTemplates(fleet),
    findCluster(fleet),
    resolveClasses(fleet),
    createProfiles(fleet),
    removeProfiles(fleet),
    passNodeRoles(roleArns, ['eks.amazonaws.com']),
    createNodeAccess(fleet, roleArns),
  ];
  const bucket = `arn:${partition}:s3:::${PLACEHOLDERS.bucket}`;
  const parts: Readonly<Record<string, readonly Right[]>> = {
    always: [...always, { statements: [findStack()] }],
    VOLUME_KEYS: [encryptVolumes(fleet, [PLACEHOLDERS.volumeKeys])],
    IMAGE_PARAMETERS: [readImageParameters(fleet, [`arn:${PLACEHOLDERS.imageParameters}`])],
    EVENT_KINDS: [publishEvents(arn('events', `event-bus/${PLACEHOLDERS.eventBus}`))],
    INTERRUPTION_QUEUE: [receiveNotices(arn('sqs', PLACEHOLDERS.queue))],
    ENABLE_ZONAL_SHIFT: [readZonalShifts(fleet)],
    stack: [
      accessRows(arn('dynamodb', `table/${PLACEHOLDERS.table}`)),
      storeDecisions(bucket),
      accessPrices(bucket),
      accessView(bucket, 's3:GetObject', 's3:PutObject'),
    ],
    recordKeys: [
      {
        statements: [
          allowKey(
            PLACEHOLDERS.keys,
            ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
            ['dynamodb', 's3', 'sqs'],
            `${stack.region}.${stack.urlSuffix}`,
          ),
        ],
      },
    ],
    learnedTable: [shareLearnedRows(arn('dynamodb', `table/${PLACEHOLDERS.learnedTable}`))],
  };
  const resolved: unknown = stack.resolve(
    Object.fromEntries(
      Object.entries(parts).map(([name, rights]) => {
        const statements = rights.flatMap((right) => right.statements);
        return [name, new PolicyDocument({ statements, minimize: true })];
      }),
    ),
  );
  return JSON.parse(
    JSON.stringify(joinTokens(resolved)).replaceAll(target.account, account).replaceAll(target.region, region),
  );
}

/**
 * A controller asks first whether the cluster has a stack. The construct `Mortise` may be in a stack of
 * any name, and CloudFormation lists all stacks or none.
 */
const findStack = (): PolicyStatement =>
  new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: ['*'] });

/** The partition is a reference within a join. */
function joinTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(joinTokens);
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value && value.Ref === 'AWS::Partition') return partition;
  if ('Ref' in value && value.Ref === 'AWS::URLSuffix') return '<url-suffix>';
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const join: readonly unknown[] = value['Fn::Join'];
    const [separator, parts] = join;
    if (Array.isArray(parts)) return parts.map(joinTokens).join(String(separator));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joinTokens(inner)]));
}
