// `zod/mini` adds a twentieth of zod's size to the bundle: the API server waits for the intake's
// cold start.
import * as z from 'zod/mini';
import { type Environment, readSettings, type SettingTable, type ValuesOf } from '../../shared/settings/setting.ts';
import { SettingsError } from './errors.ts';

export type { Environment } from '../../shared/settings/setting.ts';

/** A text that must not be empty. */
export const TEXT = z.string().check(z.minLength(1));

export const queueFields = {
  PLAN_QUEUE: z.url(),
  DISRUPT_QUEUE: z.url(),
  CLAIM_QUEUE: z.url(),
  SWEEP_QUEUE: z.url(),
  INTERRUPTION_QUEUE: z.url(),
  CLASS_QUEUE: z.url(),
};

/** URLs of the queues by the topic of their hints. */
export interface QueueUrls {
  readonly plan: string;
  readonly disrupt: string;
  readonly claim: string;
  readonly sweep: string;
  readonly interruption: string;
  readonly class: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function parseSettings<T extends z.ZodMiniType>(schema: T, environment: Environment): z.infer<T> {
  const { success, data, error } = z.safeParse(schema, environment);
  if (success) return data;
  throw new SettingsError(error.issues.map(({ path }) => String(path[0])));
}

/** @throws SettingsError - names every variable that is wrong */
export function readTable<const Table extends SettingTable>(table: Table, environment: Environment): ValuesOf<Table> {
  const { values, problems } = readSettings(table, environment);
  if (problems.length > 0) throw new SettingsError(problems.map(({ variable }) => variable));
  return values;
}

export const queuesOf = (settings: Record<keyof typeof queueFields, string>): QueueUrls => ({
  plan: settings.PLAN_QUEUE,
  disrupt: settings.DISRUPT_QUEUE,
  claim: settings.CLAIM_QUEUE,
  sweep: settings.SWEEP_QUEUE,
  interruption: settings.INTERRUPTION_QUEUE,
  class: settings.CLASS_QUEUE,
});
