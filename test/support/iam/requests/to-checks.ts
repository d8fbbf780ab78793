import type { Check } from '../evaluate.ts';
import {
  ARC_ZONAL_SHIFT,
  CLOUDFORMATION,
  CLOUDTRAIL,
  CLOUDWATCH,
  EVENTS,
  KMS,
  LAMBDA,
  SERVICE_QUOTAS,
  STS,
} from './control.ts';
import { DYNAMODB, PRICING, S3, SECRETS_MANAGER, SQS, SSM } from './data.ts';
import { EC2 } from './ec2.ts';
import { EKS } from './eks.ts';
import { IAM } from './iam.ts';
import type { Account, AwsRequest, ServiceRequests } from './request.ts';

/** By the names of services in signatures. */
const SERVICES: Readonly<Record<string, ServiceRequests>> = {
  'arc-zonal-shift': ARC_ZONAL_SHIFT,
  cloudformation: CLOUDFORMATION,
  cloudtrail: CLOUDTRAIL,
  dynamodb: DYNAMODB,
  ec2: EC2,
  eks: EKS,
  events: EVENTS,
  iam: IAM,
  kms: KMS,
  lambda: LAMBDA,
  monitoring: CLOUDWATCH,
  pricing: PRICING,
  s3: S3,
  secretsmanager: SECRETS_MANAGER,
  servicequotas: SERVICE_QUOTAS,
  sqs: SQS,
  ssm: SSM,
  sts: STS,
};

/**
 * Lists the questions to IAM that a request raises.
 *
 * @throws Error - the kind of request is not described: nothing is known about its permissions
 */
export function toChecks(request: AwsRequest, account: Account): readonly Check[] {
  const toRequestChecks = SERVICES[request.service]?.operations[request.operation];
  if (!toRequestChecks) {
    throw new Error(
      `what ${request.service}:${request.operation} needs is not described: add it in test/support/iam/requests`,
    );
  }
  return toRequestChecks(request.input, account);
}
