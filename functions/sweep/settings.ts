import * as z from 'zod/mini';
import { type Environment, parseSettings } from '../support/settings.ts';

const text = z.string().check(z.minLength(1));

const schema = z.object({
  CLUSTER_NAME: text,
  STATE_TABLE: text,
  POLL_QUEUE: z.url(),
  INTAKE_FUNCTION: z.optional(text),
  WEBHOOK_CONTROL_FUNCTION: text,
});

/** Settings of the webhook circuit breaker. */
export interface CircuitBreakerSettings {
  readonly cluster: string;
  readonly table: string;
  readonly pollQueue: string;
  /** Undefined without webhooks, whose calls are measured. */
  readonly intakeFunction?: string;
  readonly webhookControlFunction: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readCircuitBreakerSettings(environment: Environment): CircuitBreakerSettings {
  const settings = parseSettings(schema, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    table: settings.STATE_TABLE,
    pollQueue: settings.POLL_QUEUE,
    ...(settings.INTAKE_FUNCTION !== undefined && { intakeFunction: settings.INTAKE_FUNCTION }),
    webhookControlFunction: settings.WEBHOOK_CONTROL_FUNCTION,
  };
}
