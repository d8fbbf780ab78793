import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { CREDENTIALS, REGION } from './emulators.ts';

/** Clients of the lab itself, which bypass the proxies that count requests and inject faults. */
export interface CloudClients {
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly iam: IAMClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
  readonly dynamo: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly cloudWatch: CloudWatchClient;
  readonly cloudFormation: CloudFormationClient;
}

export function createCloudClients(moto: string, ministack: string): CloudClients {
  const credentials = {
    accessKeyId: CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  };
  const at = (endpoint: string) => ({ endpoint, region: REGION, credentials });
  return {
    ec2: new EC2Client(at(moto)),
    eks: new EKSClient(at(ministack)),
    iam: new IAMClient(at(ministack)),
    s3: new S3Client({ ...at(ministack), forcePathStyle: true }),
    sqs: new SQSClient(at(ministack)),
    ssm: new SSMClient(at(ministack)),
    dynamo: new DynamoDBClient(at(ministack)),
    lambda: new LambdaClient(at(ministack)),
    cloudWatch: new CloudWatchClient(at(ministack)),
    cloudFormation: new CloudFormationClient(at(ministack)),
  };
}
