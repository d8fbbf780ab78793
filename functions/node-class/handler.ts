import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { createNodeClassPorts } from '../../shared/composition/node-class-ports.ts';
import { createTableRecords } from '../../shared/composition/records.ts';
import { reconcileNodeClasses } from '../../shared/controllers/node-class/reconcile.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import type { ClassPorts } from '../../shared/ports/ports.ts';
import { DEFAULT_TIMEOUTS, LAUNCH_TIMEOUTS, SHORT_TIMEOUTS } from '../support/client-timeouts.ts';
import { readDecisions } from '../support/decision-settings.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { functionEksApi } from '../support/function-eks-api.ts';
import { withLoggedCalls } from '../support/logged-calls.ts';
import { publishMetrics } from '../support/metrics.ts';
import { portsFrom } from '../support/ports.ts';
import { reportUnreadable } from '../support/report-unreadable.ts';
import type { Environment } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';
import { logger } from '../support/telemetry.ts';
import { readWorkerSettings } from '../support/worker-settings.ts';

/**
 * Adds the clients that only this function needs; they would slow down the cold start of the
 * others.
 *
 * @throws SettingsError - a variable is missing or wrong
 */
function classPortsFrom(environment: Environment): ClassPorts {
  const settings = readWorkerSettings(environment);
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);

  const classPorts = createNodeClassPorts(
    {
      ...createTableRecords(dynamoTable(dynamo, settings, reportUnreadable)),
      clock: systemClock,
      api: functionEksApi(environment, settings, dynamo),
      ec2: new EC2Client(LAUNCH_TIMEOUTS),
      eks: new EKSClient(DEFAULT_TIMEOUTS),
      iam: new IAMClient(DEFAULT_TIMEOUTS),
      ssm: new SSMClient(DEFAULT_TIMEOUTS),
    },
    settings,
    readDecisions(environment),
  );
  return withLoggedCalls(classPorts);
}

const own: PortsOf<'nodeClass'> = portsFrom(process.env);
const ports = { ...own, classes: classPortsFrom(process.env) };

/**
 * All hints mean the same, so one run answers the batch. If it fails, the whole batch is delivered
 * again.
 */
const lookOnce = (): Promise<void> => reconcileNodeClasses(ports);

export const handler = middy<SQSEvent>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(lookOnce);
