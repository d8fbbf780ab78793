import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAction, ApiConflictError } from './api-errors.ts';

const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 20;

/**
 * Repeats a read and the write that depends on it until no other writer comes between. Random
 * pauses keep two writers from colliding again: up to 20 ms, 40 ms and so on, 600 ms in all.
 *
 * @param attempt - returns `conflict` if the write was refused because the object has changed
 * @throws ApiConflictError - the object changed each time
 */
export async function retryConflicts<T>(
  action: ApiAction,
  object: string,
  attempt: () => Promise<T | 'conflict'>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result !== 'conflict') return result;
    if (attempts === MAX_ATTEMPTS) throw new ApiConflictError(action, object);
    await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (attempts - 1));
  }
}
