import * as z from 'zod/mini';
import {
  type Environment,
  parseSettings,
  readWorkerSettings,
  type WorkerSettings,
} from '../support/settings.ts';

const schema = z.object({ POLL_QUEUE: z.url() });

export interface PollSettings extends WorkerSettings {
  /** The queue that the loop goes through, by URL. */
  readonly pollQueue: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export const readPollSettings = (environment: Environment): PollSettings => ({
  ...readWorkerSettings(environment),
  pollQueue: parseSettings(schema, environment).POLL_QUEUE,
});
