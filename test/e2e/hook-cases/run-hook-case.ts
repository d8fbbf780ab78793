import type { HookCase, HookStep } from './hook-conditions.ts';

/** The API server under test, and the webhook calls that it made. */
export interface HookClient {
  /** Sends a JSON request (a merge patch for `patch`) and returns the status of the response. */
  send(step: HookStep): Promise<number>;
  /** Returns the calls since the previous `takeCalls`, as `<operation> <resource>`. */
  takeCalls(): readonly string[];
}

/**
 * Performs the steps of a case. A write returns after its webhooks have answered, so no wait is
 * needed.
 *
 * @returns one line for each difference from the expected calls; empty if there is none
 */
export async function runHookCase(lab: HookClient, { steps }: HookCase): Promise<readonly string[]> {
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

const listed = (calls: readonly string[]): string => (calls.length > 0 ? calls.join(', ') : 'nobody');
