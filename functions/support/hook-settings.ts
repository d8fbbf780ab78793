import * as z from 'zod/mini';
import type { ApiServerSettings } from '../../shared/composition/settings.ts';
import { type Environment, parseSettings, TEXT } from './settings.ts';

const schema = z.object({
  CLUSTER_NAME: TEXT,
  AWS_REGION: TEXT,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: TEXT,
  STATE_TABLE: TEXT,
});

const intakeSchema = z.object({
  HOOK_ADDRESS: z.url(),
  // PEM in base64; empty for Amazon's public roots.
  HOOK_CA: z.string(),
  HOOK_TOKEN_SECRET: TEXT,
  INTAKE_FUNCTION: TEXT,
});

/** Settings of the functions that set up the cluster and keep it so. */
export interface HookSettings extends ApiServerSettings {
  readonly table: string;
  /** Undefined if the stack has no intake for webhooks. */
  readonly intake?: IntakeSettings;
}

export interface IntakeSettings {
  readonly address: string;
  /** PEM; undefined for the public roots of Amazon. */
  readonly authorities?: string;
  readonly tokenSecret: string;
  readonly functionName: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readHookSettings(environment: Environment): HookSettings {
  const settings = parseSettings(schema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: fromBase64(settings.CLUSTER_CA),
    table: settings.STATE_TABLE,
    ...(environment.INTAKE_FUNCTION !== undefined && { intake: readIntake(environment) }),
  };
}

function readIntake(environment: Environment): IntakeSettings {
  const settings = parseSettings(intakeSchema, environment);
  const { HOOK_CA } = settings;
  return {
    address: settings.HOOK_ADDRESS,
    ...(HOOK_CA !== '' && { authorities: toPem(HOOK_CA) }),
    tokenSecret: settings.HOOK_TOKEN_SECRET,
    functionName: settings.INTAKE_FUNCTION,
  };
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();

/** @param bodies - the base64 of certificates, or of a PEM file whose content was not known at synthesis */
function toPem(bodies: string): string {
  const text = Buffer.from(bodies, 'base64').toString();
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  return bodies
    .split(',')
    .map((body) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`)
    .join('');
}
