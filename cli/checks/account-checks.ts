import { GetRoleCommand } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { isNamed } from '../cluster/aws-problems.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The bootstrap stack that `aws-cdk-lib` requires for assets in files. */
const MIN_BOOTSTRAP_VERSION = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';

/** Lambda keeps this many; functions without a reservation share the rest. */
const MIN_CONCURRENCY = 100;

const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';

/** New accounts have 5 vCPUs or less, which is two small nodes. */
const FEW_VCPUS = 16;
const QUOTAS = [
  ['L-1216C47A', 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances'],
  ['L-34B43A08', 'All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests'],
] as const;

export const ACCOUNT_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'account', name: 'bootstrap', stages: ['before'], rights: ['ssm:GetParameter'] },
    async find({ ssm, region }) {
      const version = await orUndefined(['ParameterNotFound'], async () => {
        const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
        return Parameter?.Value;
      });
      const fix = `npx cdk bootstrap aws://<account>/${region}, once per account and region`;
      if (version === undefined) return [fail('the account is not bootstrapped for the CDK', fix)];
      return Number(version) < MIN_BOOTSTRAP_VERSION
        ? [fail(`version ${version} of the CDK bootstrap is too old`, fix)]
        : [ok(`the CDK bootstrap has version ${version}`)];
    },
  },
  {
    ...{ group: 'account', name: 'lambda-concurrency', stages: ['before', 'after'] },
    rights: ['lambda:GetAccountSettings'],
    async find({ lambda, options, stage }) {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
      const reserved = stage === 'before' ? options.intakeConcurrency : 0;
      const isOk = unreserved - reserved >= MIN_CONCURRENCY;
      if (isOk) return [ok(`${unreserved} unreserved concurrent executions`)];
      return [
        fail(
          reserved === 0
            ? `${unreserved} unreserved concurrent executions: functions may be throttled`
            : `${unreserved} unreserved concurrent executions: Lambda keeps ${MIN_CONCURRENCY}, and the intake reserves ${reserved}`,
          `raise the quota "Concurrent executions" (L-B99A9384) of Lambda in Service Quotas${reserved === 0 ? '' : ', or --set intakeConcurrency=none'}`,
        ),
      ];
    },
  },
  {
    ...{
      group: 'account',
      name: 'spot-role',
      stages: ['before', 'after'],
      rights: ['iam:GetRole'],
    },
    async find(sources) {
      return (await hasRole(sources, SPOT_ROLE))
        ? [ok(`${SPOT_ROLE} exists`)]
        : [
            warn(
              `no ${SPOT_ROLE}: spot instances cannot be launched`,
              'aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
            ),
          ];
    },
  },
  {
    ...{ group: 'account', name: 'vcpu-quotas', stages: ['before', 'after'] },
    rights: ['servicequotas:GetServiceQuota'],
    find: (sources) => Promise.all(QUOTAS.map((quota) => findQuota(sources, quota))),
  },
  {
    ...{ group: 'account', name: 'node-roles', stages: ['before'], rights: ['iam:GetRole'] },
    async find(sources) {
      const missing = await Promise.all(
        sources.options.nodeRoles.map(async (role) =>
          (await hasRole(sources, role.split('/').at(-1) ?? role)) ? [] : [role],
        ),
      );
      return missing
        .flat()
        .map((role) => fail(`no IAM role ${role}, which nodeRoles names`, 'create it, or correct --set nodeRoles'));
    },
  },
  {
    ...{ group: 'account', name: 'keys', stages: ['before', 'after'] },
    rights: ['kms:DescribeKey', 'kms:GetKeyPolicy'],
    async find(sources) {
      const { keys, volumeKeys } = sources.options;
      const checks = [
        ...keys.map((key) => findKey(sources, key, SERVICES_WITH_KEY(sources.region))),
        ...volumeKeys.map((key) => findKey(sources, key, [])),
      ];
      return (await Promise.all(checks)).flat();
    },
  },
];

/** The services that read and write with the key of the stack, and no right of IAM can stand in for its policy. */
const SERVICES_WITH_KEY = (region: string): readonly string[] => [
  'events.amazonaws.com',
  `logs.${region}.amazonaws.com`,
];

const quotaSchema = z.object({ Quota: z.object({ Value: z.number() }) });

async function findQuota({ callJson }: CheckSources, [QuotaCode, name]: (typeof QUOTAS)[number]): Promise<Finding> {
  const answer = await callJson({
    service: 'servicequotas',
    target: 'ServiceQuotasV20190624.GetServiceQuota',
    input: { ServiceCode: 'ec2', QuotaCode },
  });
  const { Value } = quotaSchema.parse(answer).Quota;
  return Value < FEW_VCPUS
    ? warn(`the account may run ${Value} vCPUs: "${name}"`, `raise ${QuotaCode} of EC2 in Service Quotas`)
    : ok(`${Value} vCPUs: ${name}`);
}

const keySchema = z.object({
  KeyMetadata: z.object({ KeyState: z.string(), KeySpec: z.string().default('SYMMETRIC_DEFAULT') }),
});
const policySchema = z.object({ Policy: z.string() });

async function findKey(
  { callJson }: CheckSources,
  KeyId: string,
  services: readonly string[],
): Promise<readonly Finding[]> {
  const callKms = (action: string, input: object): Promise<unknown> =>
    callJson({ service: 'kms', target: `TrentService.${action}`, input });
  const described = await orUndefined(['NotFoundException'], () => callKms('DescribeKey', { KeyId }));
  if (described === undefined) return [fail(`no key ${KeyId}`, 'correct its ARN')];
  const { KeyState } = keySchema.parse(described).KeyMetadata;
  if (KeyState !== 'Enabled') {
    return [fail(`the key ${KeyId} is ${KeyState}`, `aws kms enable-key --key-id ${KeyId}`)];
  }
  if (services.length === 0) return [ok(`the key ${KeyId} is enabled`)];
  const answer = await callKms('GetKeyPolicy', { KeyId, PolicyName: 'default' });
  const { Policy } = policySchema.parse(answer);
  const lacking = services.filter((service) => !Policy.includes(service));
  return lacking.length === 0
    ? [ok(`the policy of the key ${KeyId} allows EventBridge and CloudWatch Logs`)]
    : [
        fail(
          `the policy of the key ${KeyId} does not allow ${lacking.join(' and ')}`,
          'add the statements of docs/operations.md, "Use your own KMS key", to it',
        ),
      ];
}

const hasRole = async ({ iam }: CheckSources, RoleName: string): Promise<boolean> =>
  (await orUndefined(['NoSuchEntityException', 'NoSuchEntity'], () => iam.send(new GetRoleCommand({ RoleName })))) !==
  undefined;

/** Returns undefined for the errors that say that something does not exist. */
export async function orUndefined<T>(
  names: readonly string[],
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && isNamed(error, ...names)) return undefined;
    throw error;
  }
}
