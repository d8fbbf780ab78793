import type { HookCase, HookStep } from './hook-conditions.ts';

/** What a case needs of whoever runs it. */
export interface HookLab {
  /** Sends a request of JSON and returns the status of the answer; a merge patch for `patch`. */
  send(step: HookStep): Promise<number>;
  /** What was called since the last time, as `<operation> <resource>`. */
  heard(): readonly string[];
}

/**
 * Writes as the steps say. A write returns when its hooks have answered, so nothing has to be waited
 * for.
 *
 * @returns what was not as it should be, a line for each; empty: all was
 */
export async function runHookCase(lab: HookLab, { steps }: HookCase): Promise<readonly string[]> {
  const faults: string[] = [];
  lab.heard();
  for (const step of steps) {
    const status = await lab.send(step);
    const heard = lab.heard();
    const name = `${step.path} ${step.does}${step.isDryRun ? ' (dry run)' : ''}`;
    if (status >= 300) faults.push(`${name}: refused with ${status}`);
    if (heard.join() !== step.tells.join()) {
      faults.push(`${name}: told ${listed(heard)}, not ${listed(step.tells)}`);
    }
  }
  return faults;
}

const listed = (calls: readonly string[]): string =>
  calls.length > 0 ? calls.join(', ') : 'nobody';
