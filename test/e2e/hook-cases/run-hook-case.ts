import type { HookCase, HookStep } from './hook-conditions.ts';

/** What a case needs of whoever runs it. */
export interface HookLab {
  /** Sends a request of JSON and returns the status of the answer; a merge patch for `patch`. */
  send(step: HookStep): Promise<number>;
  /** What was called since the last time, as `<operation> <resource>`. */
  takeCalls(): readonly string[];
}

/**
 * Writes as the steps say. A write returns when its hooks have answered, so nothing has to be waited
 * for.
 *
 * @returns what was not as it should be, a line for each; empty: all was
 */
export async function runHookCase(lab: HookLab, { steps }: HookCase): Promise<readonly string[]> {
  const faults: string[] = [];
  lab.takeCalls();
  for (const step of steps) {
    const status = await lab.send(step);
    const takeCalls = lab.takeCalls();
    const name = `${step.path} ${step.action}${step.isDryRun ? ' (dry run)' : ''}`;
    if (status >= 300) faults.push(`${name}: refused with ${status}`);
    if (takeCalls.join() !== step.calls.join()) {
      faults.push(`${name}: told ${listed(takeCalls)}, not ${listed(step.calls)}`);
    }
  }
  return faults;
}

const listed = (calls: readonly string[]): string =>
  calls.length > 0 ? calls.join(', ') : 'nobody';
