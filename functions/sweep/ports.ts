import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { dynamoInstallations } from '../../shared/aws/dynamodb/installations.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { cloudWatchHookCalls } from '../../shared/aws/hooks/cloudwatch-hook-calls.ts';
import { lambdaHooksRequests } from '../../shared/aws/hooks/lambda-hooks-requests.ts';
import { awsPollLoop } from '../../shared/aws/queues/poll-loop.ts';
import type { WebhookPorts } from '../../shared/controllers/webhooks/reconcile.ts';
import type { HookCalls } from '../../shared/ports/cluster-setup.ts';
import { SHORT_TIMEOUTS, UNREACHABLE_TIMEOUTS } from '../support/client-timeouts.ts';
import { metrics } from '../support/metrics.ts';
import { type Environment, parseSettings, TEXT } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';

const schema = z.object({
  CLUSTER_NAME: TEXT,
  STATE_TABLE: TEXT,
  POLL_QUEUE: z.url(),
  INTAKE_FUNCTION: z.optional(TEXT),
  WEBHOOK_CONTROL_FUNCTION: TEXT,
});

/** Settings of the webhook circuit breaker. */
interface CircuitBreakerSettings {
  readonly cluster: string;
  readonly table: string;
  readonly pollQueue: string;
  /** Undefined without webhooks, whose calls are measured. */
  readonly intakeFunction?: string;
  readonly webhookControlFunction: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
function readCircuitBreakerSettings(environment: Environment): CircuitBreakerSettings {
  const settings = parseSettings(schema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    table: settings.STATE_TABLE,
    pollQueue: settings.POLL_QUEUE,
    ...(settings.INTAKE_FUNCTION !== undefined && { intakeFunction: settings.INTAKE_FUNCTION }),
    webhookControlFunction: settings.WEBHOOK_CONTROL_FUNCTION,
  };
}

/** Without an intake there are no webhooks, and no calls. */
const NO_CALLS: HookCalls = { since: async () => [] };

/** @throws SettingsError - names every variable that is missing or wrong */
export function guardPortsFrom(environment: Environment): WebhookPorts {
  const settings = readCircuitBreakerSettings(environment);
  const { cluster, intakeFunction } = settings;
  const clock = systemClock;
  const table = dynamoTable(new DynamoDBClient(SHORT_TIMEOUTS), settings);

  return {
    clock,
    loop: awsPollLoop({ table, sqs: new SQSClient(SHORT_TIMEOUTS), clock }, settings.pollQueue),
    installations: dynamoInstallations(table),
    calls:
      intakeFunction === undefined
        ? NO_CALLS
        : cloudWatchHookCalls(new CloudWatchClient(UNREACHABLE_TIMEOUTS), {
            cluster,
            intakeFunction,
          }),
    telemetry: metrics,
    hooksRequests: lambdaHooksRequests(new LambdaClient(UNREACHABLE_TIMEOUTS), settings.webhookControlFunction),
  };
}
