import * as z from 'zod/mini';
import type { ApiServerSettings } from '../../shared/composition/settings.ts';
import type { EventSource } from '../../shared/ports/cluster-setup.ts';
import { type Environment, parseSettings } from '../support/settings.ts';

const text = z.string().check(z.minLength(1));

const schema = z.object({
  CLUSTER_NAME: text,
  AWS_REGION: text,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: text,
  STATE_TABLE: text,
  SWEEP_QUEUE: z.url(),
  EVENT_SOURCE: z.enum(['auto', 'hook', 'poll', 'controller']),
  // `ask` reads the network settings from EKS; `unknown` means that the cluster is not managed by
  // EKS.
  CLUSTER_NETWORK: z.enum(['ask', 'unknown']),
  FUNCTIONS_IN_VPC: z.enum(['yes', 'no']),
  HOOKS_IN_VPC: z.enum(['yes', 'no']),
  HOOK_ADDRESS: z.url(),
  // PEM in base64; empty for Amazon's public roots.
  HOOK_CA: z.string(),
  HOOK_TOKEN_SECRET: text,
  INTAKE_FUNCTION: text,
});

export interface SetupSettings extends ApiServerSettings {
  readonly table: string;
  readonly sweepQueue: string;
  readonly eventSource: EventSource | 'auto';
  readonly knowsNetwork: boolean;
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
  readonly hookAddress: string;
  /** PEM; undefined for the public roots of Amazon. */
  readonly hookAuthorities?: string;
  readonly tokenSecret: string;
  readonly intakeFunction: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readSetupSettings(environment: Environment): SetupSettings {
  const settings = parseSettings(schema, environment);
  const { HOOK_CA } = settings;
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: fromBase64(settings.CLUSTER_CA),
    table: settings.STATE_TABLE,
    sweepQueue: settings.SWEEP_QUEUE,
    eventSource: settings.EVENT_SOURCE,
    knowsNetwork: settings.CLUSTER_NETWORK === 'ask',
    isInVpc: settings.FUNCTIONS_IN_VPC === 'yes',
    isHookPrivate: settings.HOOKS_IN_VPC === 'yes',
    hookAddress: settings.HOOK_ADDRESS,
    ...(HOOK_CA !== '' && { hookAuthorities: fromBase64(HOOK_CA) }),
    tokenSecret: settings.HOOK_TOKEN_SECRET,
    intakeFunction: settings.INTAKE_FUNCTION,
  };
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();
