import type { APIGatewayProxyEvent, LambdaFunctionURLEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { logger } from '../../functions/support/telemetry.ts';
import { digestPath } from '../../shared/kubernetes/setup/hook-url.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';

logger.setLogLevel('SILENT');

export const aRecord = (body: string, over: Partial<SQSRecord> = {}): SQSRecord => ({
  messageId: body,
  receiptHandle: `receipt of ${body}`,
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(NOON),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(NOON),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
  awsRegion: 'us-east-1',
  ...over,
});

/** A record of a FIFO queue. */
export function aGroupRecord(body: string, group: string): SQSRecord {
  const record = aRecord(body);
  return { ...record, attributes: { ...record.attributes, MessageGroupId: group } };
}

export const aBatch = (...Records: SQSRecord[]): SQSEvent => ({ Records });

export interface Sent {
  readonly hint: Hint;
  readonly at?: number | undefined;
}

/** A queue that records what is sent; it can be told to fail. */
export function aQueue({ fails = false } = {}): WorkQueue & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    async send(hint, at) {
      if (fails) throw new Error('SQS is away');
      sent.push({ hint, at });
    },
  };
}

export const TOKEN = 'q7'.repeat(21);

export function aCall(over: Partial<LambdaFunctionURLEvent> = {}): LambdaFunctionURLEvent {
  const path = `/h/demo/${TOKEN}`;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: 'timeout=1s',
    headers: { 'content-type': 'application/json' },
    isBase64Encoded: false,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'url',
      domainName: 'url.lambda-url.us-east-1.on.aws',
      domainPrefix: 'url',
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '', userAgent: '' },
      requestId: 'request',
      routeKey: '$default',
      stage: '$default',
      time: '01/Jan/2026:12:00:00 +0000',
      timeEpoch: NOON,
    },
    ...over,
  };
}

/** The same call in API Gateway's format. */
export function aPrivateCall(body: string | null): APIGatewayProxyEvent {
  const path = `/h/demo/${TOKEN}`;
  return {
    resource: '/h/{cluster}/{token}',
    path,
    httpMethod: 'POST',
    headers: {},
    multiValueHeaders: {},
    queryStringParameters: { timeout: '1s' },
    multiValueQueryStringParameters: { timeout: ['1s'] },
    pathParameters: { cluster: 'demo', token: TOKEN },
    stageVariables: null,
    isBase64Encoded: false,
    body,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      authorizer: undefined,
      protocol: 'HTTP/1.1',
      httpMethod: 'POST',
      identity: NOBODY,
      path: `/hooks${path}`,
      stage: 'hooks',
      requestId: 'request',
      requestTimeEpoch: NOON,
      resourceId: 'resource',
      resourcePath: '/h/{cluster}/{token}',
    },
  };
}

const NOBODY: APIGatewayProxyEvent['requestContext']['identity'] = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: '10.0.0.7',
  user: null,
  userAgent: null,
  userArn: null,
};

const QUEUE = 'https://sqs.us-east-1.amazonaws.com/123456789012';

export const INTAKE_ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  CLUSTER_NAME: 'demo',
  PLAN_QUEUE: `${QUEUE}/plan.fifo`,
  DISRUPT_QUEUE: `${QUEUE}/disrupt.fifo`,
  CLAIM_QUEUE: `${QUEUE}/claim`,
  SWEEP_QUEUE: `${QUEUE}/sweep`,
  INTERRUPTION_QUEUE: `${QUEUE}/interruption`,
  CLASS_QUEUE: `${QUEUE}/class`,
  HOOK_DIGESTS: digestPath(`/h/demo/${TOKEN}`),
};

export const WORKER_ENVIRONMENT = {
  ...INTAKE_ENVIRONMENT,
  CLUSTER_ENDPOINT: 'https://ABC.gr7.us-east-1.eks.amazonaws.com',
  CLUSTER_CA: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64'),
  STATE_TABLE: 'state',
  SNAPSHOT_BUCKET: 'snapshots',
};

/** The environment of the webhook circuit breaker. */
export const GUARD_ENVIRONMENT = {
  ...WORKER_ENVIRONMENT,
  POLL_QUEUE: `${QUEUE}/poll`,
  INTAKE_FUNCTION: 'intake',
  WEBHOOK_CONTROL_FUNCTION: 'webhook-control',
};

/** The environment of the functions that set the cluster up and control its webhooks. */
export const SETUP_ENVIRONMENT = {
  ...WORKER_ENVIRONMENT,
  ROLE_ARN: 'arn:aws:iam::123456789012:role/cluster-setup',
  SETUP_FUNCTION: 'setup',
  EVENT_SOURCE: 'auto',
  CLUSTER_NETWORK: 'ask',
  FUNCTIONS_IN_VPC: 'no',
  HOOKS_IN_VPC: 'no',
  HOOK_ADDRESS: 'https://url.lambda-url.us-east-1.on.aws/',
  HOOK_CA: '',
  HOOK_TOKEN_SECRET: 'secret',
  INTAKE_FUNCTION: 'intake',
};
