import { type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import type { Clock } from '../../ports/ports.ts';
import type { CallBudget } from './call-budget.ts';
import { isRateLimit } from './launch/fleet-errors.ts';

/** Requests that EC2 counts most strictly. Reading is rare, and in pages. */
const COUNTED: ReadonlySet<string> = new Set([
  'CreateFleetCommand',
  'CreateLaunchTemplateCommand',
  'CreateTagsCommand',
  'DeleteLaunchTemplateCommand',
  'TerminateInstancesCommand',
]);

/** Nobody waits longer: a function is paid for while it waits. */
export const MOST_WAIT_MS = 4_000;

/** The same client, whose requests wait for their turn among those of all functions. */
export function budgetedEc2(
  ec2: EC2Client,
  { budget, clock }: { readonly budget: CallBudget; readonly clock: Clock },
): EC2Client {
  ec2.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        if (!COUNTED.has(commandName)) return next(request);
        await pause(Math.min(await budget.take(clock.now()), MOST_WAIT_MS));
        try {
          return await next(request);
        } catch (error) {
          if (error instanceof EC2ServiceException && isRateLimit(error.name)) {
            await budget.empty(clock.now());
          }
          throw error;
        }
      },
    // Inside of what tries again, so that each try counts.
    { name: 'callBudget', step: 'finalizeRequest', priority: 'low', override: true },
  );
  return ec2;
}

const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
