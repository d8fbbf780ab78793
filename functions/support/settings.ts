// `zod/mini` adds a twentieth of zod's size to the bundle: the API server waits for the intake's
// cold start.
import * as z from 'zod/mini';
import type { SignedSenderSettings } from '../../shared/aws/queues/signed-messages.ts';
import type { StackSettings } from '../../shared/composition/settings.ts';
import { SettingsError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const text = z.string().check(z.minLength(1));

const queueFields = {
  PLAN_QUEUE: z.url(),
  DISRUPT_QUEUE: z.url(),
  CLAIM_QUEUE: z.url(),
  SWEEP_QUEUE: z.url(),
  INTERRUPTION_QUEUE: z.url(),
  CLASS_QUEUE: z.url(),
};

const intakeSchema = z.object({
  ...queueFields,
  CLUSTER_NAME: text,
  // Empty until the cluster is set up: no token is valid before.
  HOOK_DIGESTS: z.string(),
  // Lambda's own credentials, valid for as long as the execution environment lives.
  AWS_REGION: text,
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: z.optional(text),
  // Endpoint of a local AWS, named as the SDK names it.
  AWS_ENDPOINT_URL_SQS: z.optional(z.url()),
  AWS_ENDPOINT_URL: z.optional(z.url()),
});

const workerSchema = z.object({
  ...queueFields,
  CLUSTER_NAME: text,
  AWS_REGION: text,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: text,
  STATE_TABLE: text,
  SNAPSHOT_BUCKET: text,
  // Only the node-class function reads it; EKS knows it as well.
  SERVICE_CIDR: z.optional(text),
  ISOLATED_VPC: z.optional(z.enum(['true', 'false'])),
  DISABLE_DRY_RUN: z.optional(z.enum(['true', 'false'])),
  // Only the node-class function has it.
  VOLUME_KEYS: z.optional(text),
  ENABLE_ZONAL_SHIFT: z.optional(z.enum(['true', 'false'])),
  REDACT_NAMES: z.optional(z.enum(['true', 'false'])),
  // Table of learned facts that clusters may share.
  LEARNED_TABLE: z.optional(text),
});

/** URLs of the queues by the topic of their hints. */
export interface QueueUrls {
  readonly plan: string;
  readonly disrupt: string;
  readonly claim: string;
  readonly sweep: string;
  readonly interruption: string;
  readonly class: string;
}

export interface IntakeSettings {
  readonly cluster: string;
  readonly queues: QueueUrls;
  /** Digests of accepted hook paths, SHA-256 in hex: two of them while a token is rotated. */
  readonly digests: readonly string[];
  readonly sender: SignedSenderSettings;
}

export interface WorkerSettings extends StackSettings {
  /** True if records have hashes in the place of names. */
  readonly redactsNames?: true;
  readonly queues: QueueUrls;
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

/** @throws SettingsError - names every variable that is missing or wrong */
export function readWorkerSettings(environment: Environment): WorkerSettings {
  const settings = parseSettings(workerSchema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: Buffer.from(settings.CLUSTER_CA, 'base64').toString(),
    table: settings.STATE_TABLE,
    bucket: settings.SNAPSHOT_BUCKET,
    ...(settings.SERVICE_CIDR !== undefined && { serviceCidr: settings.SERVICE_CIDR }),
    ...(settings.ISOLATED_VPC === 'true' && { isIsolated: true }),
    ...(settings.DISABLE_DRY_RUN === 'true' && { isDryRunOff: true }),
    ...(settings.VOLUME_KEYS !== undefined && { volumeKeys: settings.VOLUME_KEYS.split(',') }),
    ...(settings.REDACT_NAMES === 'true' && { redactsNames: true }),
    ...(settings.ENABLE_ZONAL_SHIFT === 'true' && { followsShifts: true }),
    ...(settings.LEARNED_TABLE !== undefined && { learnedTable: settings.LEARNED_TABLE }),
    queues: queuesOf(settings),
  };
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function parseSettings<T extends z.ZodMiniType>(schema: T, environment: Environment): z.infer<T> {
  const { success, data, error } = z.safeParse(schema, environment);
  if (success) return data;
  throw new SettingsError(error.issues.map(({ path }) => String(path[0])));
}

const queuesOf = (settings: Record<keyof typeof queueFields, string>): QueueUrls => ({
  plan: settings.PLAN_QUEUE,
  disrupt: settings.DISRUPT_QUEUE,
  claim: settings.CLAIM_QUEUE,
  sweep: settings.SWEEP_QUEUE,
  interruption: settings.INTERRUPTION_QUEUE,
  class: settings.CLASS_QUEUE,
});
