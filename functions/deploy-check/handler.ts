import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { DEFAULT_TIMEOUTS } from '../support/client-timeouts.ts';
import { answerCloudFormation, type Done } from '../support/cloud-formation/answer-cloud-formation.ts';
import {
  type CloudFormationRequest,
  readCloudFormationRequest,
} from '../support/cloud-formation/cloud-formation-request.ts';
import { putAnswer } from '../support/cloud-formation/put-answer.ts';
import { logger } from '../support/telemetry.ts';

/** Lambda refuses a reservation that leaves the account less than this. */
const MIN_UNRESERVED = 100;

/** The deployment would fail later, with a message that names neither the option nor the quota. */
class NoConcurrencyError extends Error {
  override readonly name = 'NoConcurrencyError';

  constructor(reserved: number, unreserved: number) {
    super(
      `the option intakeConcurrency reserves ${reserved} concurrent executions for the webhooks, ` +
        `but the account has ${unreserved} unreserved, and Lambda keeps ${MIN_UNRESERVED} of them. ` +
        'Raise the Lambda quota "Concurrent executions" (L-B99A9384) in Service Quotas, or deploy ' +
        'with -c intakeConcurrency=none.',
    );
  }
}

/**
 * Checks before the intake is created or changed that the account has room for its reservation.
 * If the quota cannot be read, the deployment goes on.
 *
 * @param readUnreserved - reads the unreserved concurrency of the account
 * @throws NoConcurrencyError
 */
export async function checkConcurrency(
  request: CloudFormationRequest,
  readUnreserved: () => Promise<number | undefined>,
): Promise<Done> {
  if (request.RequestType === 'Delete') return {};
  const reserved = concurrencyIn(request.ResourceProperties);
  // The account's figure does not contain the present reservation.
  const additional = reserved - concurrencyIn(request.OldResourceProperties);
  if (additional <= 0) return {};

  const unreserved = await readUnreserved().catch((error: unknown) => {
    logger.warn('the concurrency of the account could not be read', { error });
    return undefined;
  });
  if (unreserved !== undefined && unreserved - additional < MIN_UNRESERVED) {
    throw new NoConcurrencyError(reserved, unreserved);
  }
  return {};
}

/** CloudFormation sends every property as text. */
const concurrencyIn = (properties: CloudFormationRequest['ResourceProperties']): number =>
  Number(properties?.concurrency ?? 0);

/** Reads the concurrent executions of the account that no function reserves. */
export async function readUnreserved(lambda: LambdaClient): Promise<number | undefined> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  return AccountLimit?.UnreservedConcurrentExecutions;
}

const lambda = new LambdaClient(DEFAULT_TIMEOUTS);

async function onRequest(event: unknown, context: Context): Promise<void> {
  const request = readCloudFormationRequest(event, process.env.STACK_ID);
  if (!request) throw new TypeError('the event is not a request of CloudFormation');

  const ports = { remainingMs: () => context.getRemainingTimeInMillis(), put: putAnswer };
  await answerCloudFormation(ports, request, 'deploy-check', () =>
    checkConcurrency(request, () => readUnreserved(lambda)),
  );
}

export const handler = middy<unknown, void>().use(injectLambdaContext(logger)).handler(onRequest);
