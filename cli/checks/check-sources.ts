import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { type Cluster, DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { awsDomain, fetchSigned, type RequestToSign } from '../../shared/aws/signed-request.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { AwsFlags } from '../cluster/aws-flags.ts';
import { isNamed } from '../cluster/aws-problems.ts';
import { isStackMissing } from '../cluster/find-stack.ts';
import type { CheckGroup } from '../documents/doctor.ts';
import type { Finding } from './finding.ts';

/** `before` a deployment, or of a deployed stack. */
export type CheckStage = 'before' | 'after';

/** The options of the stack on which checks depend. */
export interface CheckedOptions {
  readonly functionSubnets: readonly string[];
  readonly nodeRoles: readonly string[];
  readonly keys: readonly string[];
  readonly volumeKeys: readonly string[];
  /** The concurrency that a first deployment reserves for the intake. */
  readonly intakeConcurrency: number;
}

/** The services that the checks read. */
export interface CheckSources {
  readonly cluster: string;
  readonly region: string;
  readonly stackName: string;
  readonly stage: CheckStage;
  readonly options: CheckedOptions;
  readonly eks: EKSClient;
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  readonly lambda: LambdaClient;
  readonly ssm: SSMClient;
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  /** Describes the cluster once; undefined if there is none. */
  readonly readCluster: () => Promise<Cluster | undefined>;
  /** Reads the status of the stack once; undefined if there is none. */
  readonly readStackStatus: () => Promise<string | undefined>;
  /** Calls a service for which the command has no client. */
  readonly callJson: CallJson;
}

/** A call of the protocol JSON 1.1, or a GET. */
export type JsonCall =
  | { readonly service: 'servicequotas' | 'kms'; readonly target: string; readonly input: object }
  | { readonly service: 'scheduler'; readonly path: string };

export type CallJson = (call: JsonCall) => Promise<unknown>;

/** A fact of cluster or account that stops or spoils a deployment. */
export interface AccountCheck {
  readonly group: CheckGroup;
  readonly name: string;
  readonly stages: readonly CheckStage[];
  /** The rights of IAM that it needs. */
  readonly rights: readonly string[];
  /** @throws Error - an error of AWS: the finding is then `unknown` */
  find(sources: CheckSources): Promise<readonly Finding[]>;
}

export interface CheckTarget extends Pick<CheckSources, 'cluster' | 'region' | 'stackName' | 'stage'> {
  readonly options: CheckedOptions;
  readonly settings: AwsFlags & { readonly maxAttempts?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createCheckSources({ settings, env, ...target }: CheckTarget): CheckSources {
  const eks = new EKSClient(settings);
  const cloudFormation = new CloudFormationClient(settings);
  return {
    ...target,
    eks,
    ec2: new EC2Client(settings),
    iam: new IAMClient(settings),
    lambda: new LambdaClient(settings),
    ssm: new SSMClient(settings),
    dynamo: new DynamoDBClient(settings),
    s3: new S3Client(settings),
    readCluster: readOnce(async () => {
      try {
        return (await eks.send(new DescribeClusterCommand({ name: target.cluster }))).cluster;
      } catch (error) {
        if (error instanceof Error && isNamed(error, 'ResourceNotFoundException')) return undefined;
        throw error;
      }
    }),
    readStackStatus: readOnce(async () => {
      try {
        const command = new DescribeStacksCommand({ StackName: target.stackName });
        return (await cloudFormation.send(command)).Stacks?.[0]?.StackStatus;
      } catch (error) {
        if (error instanceof Error && isStackMissing(error)) return undefined;
        throw error;
      }
    }),
    callJson: callSigned(eks, target.region, env),
  };
}

function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

const errorSchema = z.object({
  __type: z.string().default('UnknownError'),
  message: z.string().default(''),
  Message: z.string().default(''),
});

/** Signed here: the clients of both services would be loaded for one request each. */
const callSigned =
  (eks: EKSClient, region: string, env: CheckTarget['env']): CallJson =>
  async (call) => {
    const { service } = call;
    const endpoint = env.AWS_ENDPOINT_URL ?? `https://${service}.${region}.${awsDomain(region)}`;
    const url = endpoint.replace(/\/$/, '');
    const response = await fetchSigned(
      'path' in call ? { method: 'GET', url: `${url}${call.path}` } : toPost(url, call),
      { service, region },
      await eks.config.credentials(),
      { retries: 1, firstDelayMs: 100, signal: AbortSignal.timeout(4 * SECOND_MS) },
    ).catch((cause: unknown) => {
      // `fetch` hides the reason in the cause; `callAws` knows this name as "AWS does not answer".
      const why = cause instanceof Error ? String(cause.cause ?? cause.message) : String(cause);
      throw Object.assign(new Error(`${url}: ${why}`, { cause }), { name: 'TimeoutError' });
    });
    const body: unknown = await response.json();
    if (response.ok) return body;
    const { __type, message, Message } = errorSchema.parse(body);
    // The scheduler names its errors in a header.
    const type = response.headers.get('x-amzn-errortype')?.split(':')[0] ?? __type;
    const name = type.split('#').at(-1) ?? type;
    throw Object.assign(new Error(message || Message), { name });
  };

const toPost = (url: string, { target, input }: Extract<JsonCall, { target: string }>): RequestToSign => ({
  method: 'POST',
  url: `${url}/`,
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
  body: JSON.stringify(input),
});
