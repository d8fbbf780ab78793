import * as z from 'zod/mini';
import type { SignedSenderSettings } from '../../shared/aws/queues/signed-messages.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { parseSettings, type QueueUrls, queueFields, queuesOf, TEXT } from '../support/settings.ts';

const intakeSchema = z.object({
  ...queueFields,
  CLUSTER_NAME: TEXT,
  // Empty until the cluster is set up: no token is valid before.
  HOOK_DIGESTS: z.string(),
  // Lambda's own credentials, valid for as long as the execution environment lives.
  AWS_REGION: TEXT,
  AWS_ACCESS_KEY_ID: TEXT,
  AWS_SECRET_ACCESS_KEY: TEXT,
  AWS_SESSION_TOKEN: z.optional(TEXT),
  // Endpoint of a local AWS, named as the SDK names it.
  AWS_ENDPOINT_URL_SQS: z.optional(z.url()),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

export interface IntakeSettings {
  readonly cluster: string;
  readonly queues: QueueUrls;
  /** Digests of accepted hook paths, SHA-256 in hex: two of them while a token is rotated. */
  readonly digests: readonly string[];
  readonly sender: SignedSenderSettings;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readIntakeSettings(environment: Environment): IntakeSettings {
  const settings = parseSettings(intakeSchema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    queues: queuesOf(settings),
    digests: settings.HOOK_DIGESTS.split(',').filter((digest) => digest !== ''),
    sender: senderOf(settings),
  };
}

function senderOf(settings: z.infer<typeof intakeSchema>): SignedSenderSettings {
  const { AWS_SESSION_TOKEN: sessionToken } = settings;
  const endpoint = settings.AWS_ENDPOINT_URL_SQS ?? settings.AWS_ENDPOINT_URL;
  return {
    region: settings.AWS_REGION,
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(endpoint !== undefined && { endpoint }),
  };
}
