import * as z from 'zod';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import { type DynamoTable, unchangedSince } from './dynamo-table.ts';

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
const MOST_ATTEMPTS = 4;

/** A bucket of tokens in the table. It may run into debt: whoever is in debt waits in line. */
export function dynamoCallBudget(table: DynamoTable): CallBudget {
  async function change(now: EpochMs, next: (left: number) => number): Promise<number> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const row = await table.get('CallBudget', NAME, rowSchema);
      const version = row?.version ?? 0;
      const left = next(leftAt(row, now));
      const changed: Row = { left, at: now, version: version + 1 };
      if (await table.put('CallBudget', NAME, changed, unchangedSince(version))) return left;
    }
    return 0;
  }

  return {
    async take(now) {
      const left = await change(now, (tokens) => tokens - 1);
      return left >= 0 ? 0 : (-left / REFILL_PER_SECOND) * SECOND_MS;
    },
    async empty(now) {
      await change(now, (tokens) => Math.min(tokens, 0));
    },
  };
}

function leftAt(row: Row | undefined, now: EpochMs): number {
  if (!row) return BURST;
  const refilled = (Math.max(0, now - row.at) / SECOND_MS) * REFILL_PER_SECOND;
  return Math.min(BURST, row.left + refilled);
}
