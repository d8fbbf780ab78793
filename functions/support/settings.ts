// A twentieth of zod: the intake starts cold in front of a waiting API server.
import * as z from 'zod/mini';
import type { Subnet } from '../../shared/aws/fleet-request.ts';
import type { HomeSettings } from '../../shared/home/settings.ts';
import { SettingsError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const text = z.string().check(z.minLength(1));

const intakeSchema = z.object({
  CLUSTER_NAME: text,
  PLAN_QUEUE: z.url(),
  DISRUPT_QUEUE: z.url(),
  CLAIM_QUEUE: z.url(),
  SWEEP_QUEUE: z.url(),
  INTERRUPTION_QUEUE: z.url(),
  HOOK_TOKENS: text,
});

const workerSchema = z.object({
  ...z.omit(intakeSchema, { HOOK_TOKENS: true }).shape,
  AWS_REGION: text,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: text,
  STATE_TABLE: text,
  SNAPSHOT_BUCKET: text,
  LAUNCH_TEMPLATE: text,
  // `<subnet>@<zone>`, separated by commas.
  SUBNETS: z.string().check(z.regex(/^subnet-\w+@[\w-]+(,subnet-\w+@[\w-]+)*$/)),
});

/** The queues' URLs, by what their hints are about. */
export interface QueueUrls {
  readonly plan: string;
  readonly disrupt: string;
  readonly claim: string;
  readonly sweep: string;
  readonly interruption: string;
}

export interface IntakeSettings {
  readonly cluster: string;
  readonly queues: QueueUrls;
  /** Either opens: while a token is replaced, there are two. */
  readonly tokens: readonly string[];
}

export interface WorkerSettings extends HomeSettings {
  readonly queues: QueueUrls;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readIntakeSettings(environment: Environment): IntakeSettings {
  const settings = parse(intakeSchema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    queues: queuesOf(settings),
    tokens: settings.HOOK_TOKENS.split(','),
  };
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readWorkerSettings(environment: Environment): WorkerSettings {
  const settings = parse(workerSchema, environment);
  const subnets = settings.SUBNETS.split(',').map(subnetOf);
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: Buffer.from(settings.CLUSTER_CA, 'base64').toString(),
    table: settings.STATE_TABLE,
    bucket: settings.SNAPSHOT_BUCKET,
    launchTemplateId: settings.LAUNCH_TEMPLATE,
    subnets,
    zones: [...new Set(subnets.map(({ zone }) => zone))],
    queues: queuesOf(settings),
  };
}

function subnetOf(written: string): Subnet {
  const [id = '', zone = ''] = written.split('@');
  return { id, zone };
}

function parse<T extends z.ZodMiniType>(schema: T, environment: Environment): z.infer<T> {
  const { success, data, error } = z.safeParse(schema, environment);
  if (success) return data;
  throw new SettingsError(error.issues.map(({ path }) => String(path[0])));
}

const queuesOf = (settings: Omit<z.infer<typeof intakeSchema>, 'HOOK_TOKENS'>): QueueUrls => ({
  plan: settings.PLAN_QUEUE,
  disrupt: settings.DISRUPT_QUEUE,
  claim: settings.CLAIM_QUEUE,
  sweep: settings.SWEEP_QUEUE,
  interruption: settings.INTERRUPTION_QUEUE,
});
