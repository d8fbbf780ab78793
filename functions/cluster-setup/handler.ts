import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { repairSetup } from '../../shared/controllers/webhooks/cluster-setup.ts';
import { answerCloudFormation } from '../support/cloud-formation/answer-cloud-formation.ts';
import { putAnswer } from '../support/cloud-formation/put-answer.ts';
import { logger } from '../support/telemetry.ts';
import { parseRequest } from './parse-request.ts';
import { setupFrom } from './ports.ts';
import { runRequest } from './run.ts';

async function onRequest(event: unknown, context: Context): Promise<void> {
  const setupRequest = parseRequest(event, process.env.STACK_ID);
  if (setupRequest.from === 'schedule') {
    const { ports, options } = setupFrom(process.env);
    return repairSetup(ports, options);
  }

  const { request } = setupRequest;
  const ports = { remainingMs: () => context.getRemainingTimeInMillis(), put: putAnswer };
  await answerCloudFormation(ports, request, 'cluster-setup', async () => {
    // Read per request, not at start-up, so that the answer to CloudFormation names a missing setting.
    const { ports, options } = setupFrom(process.env);
    return runRequest(ports, options, request);
  });
}

export const handler = middy<unknown, void>().use(injectLambdaContext(logger)).handler(onRequest);
