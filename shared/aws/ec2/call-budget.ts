import { type EC2Client, EC2ServiceException } from '@aws-sdk/client-ec2';
import * as z from 'zod';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { ifVersion } from '../dynamodb/table/conditions.ts';
import type { DynamoTable } from '../dynamodb/table/dynamo-table.ts';
import { isRateLimit } from './launch/fleet-errors.ts';

/** EC2's token bucket for mutating requests of an account: size and refill rate. */
const BURST = 50;
const REFILL_PER_SECOND = 5;

/** The number of mutating EC2 requests that all functions together may still make. */
export interface CallBudget {
  /**
   * Takes one token.
   *
   * @returns how long the caller must wait before the request, in ms
   */
  take(now: EpochMs): Promise<number>;
  /** EC2 has throttled a request: sets the budget to zero. */
  empty(now: EpochMs): Promise<void>;
}

const rowSchema = z.object({ left: z.number(), at: z.number(), version: z.number() });
type Row = z.output<typeof rowSchema>;

const NAME = 'changes';
/**
 * After this many conflicts the request goes ahead without a token; EC2 itself enforces the limit.
 */
const MAX_ATTEMPTS = 4;

/**
 * A token bucket in DynamoDB. Its balance may become negative; callers then wait until it is
 * refilled.
 */
export function dynamoCallBudget(table: DynamoTable): CallBudget {
  // The row as this process wrote it. The conditional write detects if another process changed it
  // since.
  let lastWritten: Row | undefined;

  async function change(now: EpochMs, next: (remaining: number) => number): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const row = lastWritten ?? (await table.get('CallBudget', NAME, rowSchema));
      const version = row?.version ?? 0;
      const remaining = next(computeTokens(row, now));
      const changed: Row = { left: remaining, at: now, version: version + 1 };
      const isWritten = await table.put('CallBudget', NAME, changed, ifVersion(version));
      lastWritten = isWritten ? changed : undefined;
      if (isWritten) return remaining;
    }
    return 0;
  }

  // The launches of one plan start together and would conflict. While a write is in progress, all
  // other callers join the next batch and share its write.
  let busy: Promise<unknown> = Promise.resolve();
  let next: TokenBatch | undefined;

  function joinBatch(now: EpochMs): TokenBatch {
    const batch: TokenBatch = next ?? {
      takers: 0,
      remaining: busy.then(() => {
        next = undefined;
        return change(now, (tokens) => tokens - batch.takers);
      }),
    };
    if (next !== batch) busy = batch.remaining.catch(() => undefined);
    next = batch;
    return batch;
  }

  return {
    async take(now) {
      const batch = joinBatch(now);
      batch.takers += 1;
      const position = batch.takers;
      const remaining = (await batch.remaining) + batch.takers - position;
      return remaining >= 0 ? 0 : (-remaining / REFILL_PER_SECOND) * SECOND_MS;
    },
    async empty(now) {
      await change(now, (tokens) => Math.min(tokens, 0));
    },
  };
}

/** Callers whose tokens are taken by one write. */
interface TokenBatch {
  takers: number;
  /** The balance after all callers of the batch. */
  readonly remaining: Promise<number>;
}

function computeTokens(row: Row | undefined, now: EpochMs): number {
  if (!row) return BURST;
  const refilled = (Math.max(0, now - row.at) / SECOND_MS) * REFILL_PER_SECOND;
  return Math.min(BURST, row.left + refilled);
}

/** The requests that EC2 limits most strictly. Read requests are rare and paged. */
const LIMITED_COMMANDS: ReadonlySet<string> = new Set([
  'CreateFleetCommand',
  'CreateLaunchTemplateCommand',
  'CreateTagsCommand',
  'DeleteLaunchTemplateCommand',
  'RebootInstancesCommand',
  'TerminateInstancesCommand',
]);

/** The longest wait, because a Lambda function is billed while it waits. */
export const MAX_WAIT_MS = 4_000;

/** Makes the client's mutating requests wait for a token. Changes and returns the same client. */
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
    // Below the SDK's retry middleware, so that each retry takes a token.
    { name: 'callBudget', step: 'finalizeRequest', priority: 'low', override: true },
  );
  return ec2;
}

const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
