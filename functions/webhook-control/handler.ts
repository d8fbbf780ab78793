import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import * as z from 'zod';
import {
  disableHooks,
  keepHooks,
  probeHooks,
  restoreHooks,
  rotateToken,
  type WebhookControlPorts,
} from '../../shared/controllers/webhooks/webhook-control.ts';
import { logger } from '../support/telemetry.ts';
import { controlPortsFrom } from './ports.ts';

/** A command of the schedule, the sweep or an operator. */
export const commandSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('keep') }),
  z.object({
    action: z.literal('withdraw-hooks'),
    by: z.enum(['breaker', 'operator']).default('operator'),
    why: z.string().default('an operator asked for it'),
  }),
  z.object({ action: z.literal('probe-hooks') }),
  z.object({ action: z.literal('restore-hooks') }),
  z.object({ action: z.literal('rotate-token') }),
]);

type HookCommand = z.output<typeof commandSchema>;

export function runCommand(ports: WebhookControlPorts, command: HookCommand): Promise<void> {
  switch (command.action) {
    case 'keep':
      return keepHooks(ports);
    case 'withdraw-hooks':
      return disableHooks(ports, command);
    case 'probe-hooks':
      return probeHooks(ports);
    case 'restore-hooks':
      return restoreHooks(ports);
    case 'rotate-token':
      return rotateToken(ports);
  }
}

async function onCommand(event: unknown): Promise<void> {
  const command = commandSchema.parse(event);
  logger.info('hooks', { ...command });
  await runCommand(controlPortsFrom(process.env), command);
}

export const handler = middy<unknown, void>().use(injectLambdaContext(logger)).handler(onCommand);
