import { type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import * as z from 'zod';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { type DynamoTable, ifVersion } from '../dynamodb/table/dynamo-table.ts';
import { isRateLimit } from './launch/fleet-errors.ts';

/** Requests that change something, as EC2 lets an account make them: so many at once, so many a second. */
const BURST = 50;
const REFILL_PER_SECOND = 5;

/** How many requests all functions together may still make. */
export interface CallBudget {
  /** Takes one. @returns how long its taker has to wait for it, ms */
  take(now: EpochMs): Promise<number>;
  /** EC2 said that it was too many: nothing is left. */
  empty(now: EpochMs): Promise<void>;
}

const rowSchema = z.object({ left: z.number(), at: z.number(), version: z.number() });
type Row = z.output<typeof rowSchema>;

const NAME = 'changes';
/** Who loses so often goes without asking: the budget is a courtesy, EC2 has the last word. */
const MAX_ATTEMPTS = 4;

/** A bucket of tokens in the table. It may run into debt: whoever is in debt waits in line. */
export function dynamoCallBudget(table: DynamoTable): CallBudget {
  // As it was written here last: nobody may have changed it since.
  let lastWritten: Row | undefined;

  async function change(now: EpochMs, next: (left: number) => number): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const row = lastWritten ?? (await table.get('CallBudget', NAME, rowSchema));
      const version = row?.version ?? 0;
      const left = next(computeTokens(row, now));
      const changed: Row = { left, at: now, version: version + 1 };
      const isWritten = await table.put('CallBudget', NAME, changed, ifVersion(version));
      lastWritten = isWritten ? changed : undefined;
      if (isWritten) return left;
    }
    return 0;
  }

  // Launches of one plan come together, and would only be in each other's way: while one write is
  // under way, all others wait for the next and share it.
  let busy: Promise<unknown> = Promise.resolve();
  let next: TokenBatch | undefined;

  function joinBatch(now: EpochMs): TokenBatch {
    const batch: TokenBatch = next ?? {
      takers: 0,
      left: busy.then(() => {
        next = undefined;
        return change(now, (tokens) => tokens - batch.takers);
      }),
    };
    if (next !== batch) busy = batch.left.catch(() => undefined);
    next = batch;
    return batch;
  }

  return {
    async take(now) {
      const batch = joinBatch(now);
      batch.takers += 1;
      const nth = batch.takers;
      const left = (await batch.left) + batch.takers - nth;
      return left >= 0 ? 0 : (-left / REFILL_PER_SECOND) * SECOND_MS;
    },
    async empty(now) {
      await change(now, (tokens) => Math.min(tokens, 0));
    },
  };
}

/** Takers whose tokens are taken by one write. */
interface TokenBatch {
  takers: number;
  /** What is left after all of them. */
  readonly left: Promise<number>;
}

function computeTokens(row: Row | undefined, now: EpochMs): number {
  if (!row) return BURST;
  const refilled = (Math.max(0, now - row.at) / SECOND_MS) * REFILL_PER_SECOND;
  return Math.min(BURST, row.left + refilled);
}

/** Requests that EC2 counts most strictly. Reading is rare, and in pages. */
const LIMITED_COMMANDS: ReadonlySet<string> = new Set([
  'CreateFleetCommand',
  'CreateLaunchTemplateCommand',
  'CreateTagsCommand',
  'DeleteLaunchTemplateCommand',
  'TerminateInstancesCommand',
]);

/** Nobody waits longer: a function is paid for while it waits. */
export const MAX_WAIT_MS = 4_000;

/** The same client, whose requests wait for their turn among those of all functions. */
export function limitCallRate(
  ec2: EC2Client,
  { budget, clock }: { readonly budget: CallBudget; readonly clock: Clock },
): EC2Client {
  ec2.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        if (!LIMITED_COMMANDS.has(commandName)) return next(request);
        await pause(Math.min(await budget.take(clock.now()), MAX_WAIT_MS));
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
