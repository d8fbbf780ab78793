import * as z from 'zod/mini';
import type { EventSource } from '../../shared/ports/cluster-setup.ts';
import { type HookSettings, readHookSettings } from '../support/hook-settings.ts';
import { type Environment, parseSettings } from '../support/settings.ts';

const schema = z.object({
  ROLE_ARN: z.string().check(z.minLength(1)),
  SWEEP_QUEUE: z.url(),
  EVENT_SOURCE: z.enum(['auto', 'hook', 'poll', 'controller']),
  EVENT_SOURCE_REASON: z.optional(z.string()),
  // `ask` reads the network settings from EKS; `unknown` means that the cluster is not managed by
  // EKS.
  CLUSTER_NETWORK: z.enum(['ask', 'unknown']),
  FUNCTIONS_IN_VPC: z.enum(['yes', 'no']),
  HOOKS_IN_VPC: z.enum(['yes', 'no']),
  // The stack's own node role, if it has one.
  NODE_ROLE_ARN: z.optional(z.string().check(z.minLength(1))),
});

export interface SetupSettings extends HookSettings {
  /** The function's own role, which a deployment makes an administrator of the cluster. */
  readonly roleArn: string;
  readonly sweepQueue: string;
  readonly eventSource: EventSource | 'auto';
  /** Why the stack chose it; undefined if the options did. */
  readonly eventSourceReason?: string;
  readonly knowsNetwork: boolean;
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
  /** The stack's own node role; undefined if the options name roles. */
  readonly nodeRoleArn?: string;
}

/** @throws SettingsError - names the variables that are missing or wrong */
export function readSetupSettings(environment: Environment): SetupSettings {
  const settings = parseSettings(schema, environment);
  return {
    ...readHookSettings(environment),
    roleArn: settings.ROLE_ARN,
    sweepQueue: settings.SWEEP_QUEUE,
    eventSource: settings.EVENT_SOURCE,
    ...(settings.EVENT_SOURCE_REASON !== undefined && {
      eventSourceReason: settings.EVENT_SOURCE_REASON,
    }),
    knowsNetwork: settings.CLUSTER_NETWORK === 'ask',
    isInVpc: settings.FUNCTIONS_IN_VPC === 'yes',
    isHookPrivate: settings.HOOKS_IN_VPC === 'yes',
    ...(settings.NODE_ROLE_ARN !== undefined && { nodeRoleArn: settings.NODE_ROLE_ARN }),
  };
}
