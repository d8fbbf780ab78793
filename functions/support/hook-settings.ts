import * as z from 'zod/mini';
import type { ApiServerSettings } from '../../shared/composition/settings.ts';
import { type Environment, parseSettings } from './settings.ts';

const text = z.string().check(z.minLength(1));

const schema = z.object({
  CLUSTER_NAME: text,
  AWS_REGION: text,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: text,
  STATE_TABLE: text,
  HOOK_ADDRESS: z.url(),
  // PEM in base64; empty for Amazon's public roots.
  HOOK_CA: z.string(),
  HOOK_TOKEN_SECRET: text,
  INTAKE_FUNCTION: text,
});

/** Settings of the functions that place webhooks. */
export interface HookSettings extends ApiServerSettings {
  readonly table: string;
  readonly hookAddress: string;
  /** PEM; undefined for the public roots of Amazon. */
  readonly hookAuthorities?: string;
  readonly tokenSecret: string;
  readonly intakeFunction: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readHookSettings(environment: Environment): HookSettings {
  const settings = parseSettings(schema, environment);
  const { HOOK_CA } = settings;
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: fromBase64(settings.CLUSTER_CA),
    table: settings.STATE_TABLE,
    hookAddress: settings.HOOK_ADDRESS,
    ...(HOOK_CA !== '' && { hookAuthorities: fromBase64(HOOK_CA) }),
    tokenSecret: settings.HOOK_TOKEN_SECRET,
    intakeFunction: settings.INTAKE_FUNCTION,
  };
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();
