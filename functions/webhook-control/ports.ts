import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import type { WebhookControlPorts } from '../../shared/controllers/webhooks/webhook-control.ts';
import { DEFAULT_TIMEOUTS } from '../support/client-timeouts.ts';
import { hookPortsFrom } from '../support/hook-ports.ts';
import { readHookSettings } from '../support/hook-settings.ts';
import { type Environment, parseSettings, TEXT } from '../support/settings.ts';

const schema = z.object({ SETUP_FUNCTION: TEXT });

/** The one event of the cluster set-up that is not CloudFormation's. */
const REPAIR = { action: 'repair' };

/** @throws SettingsError - names the variables that are missing or wrong */
export function controlPortsFrom(environment: Environment): WebhookControlPorts {
  const { SETUP_FUNCTION: FunctionName } = parseSettings(schema, environment);
  const lambda = new LambdaClient(DEFAULT_TIMEOUTS);
  return {
    ...hookPortsFrom(readHookSettings(environment)),
    async requestSetup() {
      await lambda.send(
        new InvokeCommand({
          FunctionName,
          InvocationType: 'Event',
          Payload: Buffer.from(JSON.stringify(REPAIR)),
        }),
      );
    },
  };
}
