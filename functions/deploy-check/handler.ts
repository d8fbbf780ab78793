import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { LambdaClient } from '@aws-sdk/client-lambda';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { DEFAULT_TIMEOUTS } from '../support/client-timeouts.ts';
import { answerCloudFormation } from '../support/cloud-formation/answer-cloud-formation.ts';
import { readCloudFormationRequest } from '../support/cloud-formation/cloud-formation-request.ts';
import { putAnswer } from '../support/cloud-formation/put-answer.ts';
import { logger } from '../support/telemetry.ts';
import { checkConcurrency, readUnreserved } from './check-concurrency.ts';

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
