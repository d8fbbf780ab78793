import * as z from 'zod/mini';
import { type Environment, parseSettings } from '../support/settings.ts';
import { readWorkerSettings, type WorkerSettings } from '../support/worker-settings.ts';

const schema = z.object({ POLL_QUEUE: z.url() });

export interface PollSettings extends WorkerSettings {
  /** URL of the queue that carries the loop's own messages. */
  readonly pollQueue: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export const readPollSettings = (environment: Environment): PollSettings => ({
  ...readWorkerSettings(environment),
  pollQueue: parseSettings(schema, environment).POLL_QUEUE,
});
