import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { logger } from '../support/telemetry.ts';
import { commandSchema } from './command.ts';
import { controlPortsFrom } from './ports.ts';
import { runCommand } from './run.ts';

async function onCommand(event: unknown): Promise<void> {
  const command = commandSchema.parse(event);
  logger.info('hooks', { ...command });
  await runCommand(controlPortsFrom(process.env), command);
}

export const handler = middy<unknown, void>().use(injectLambdaContext(logger)).handler(onCommand);
