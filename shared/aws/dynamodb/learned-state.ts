import { createHash } from 'node:crypto';
import * as z from 'zod';
import { splitIntoBatches } from '../../model/concurrency.ts';
import { addResult, type RegistrationHealth, type RegistrationResult } from '../../model/nodes/registration-health.ts';
import { DAY_MS, type EpochMs } from '../../model/time.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import { stoppedRolloutFields } from '../../model-schema/node-class-schema.ts';
import { poolBackoffFields } from '../../model-schema/pool-backoff-schema.ts';
import type {
  BackoffCause,
  Nominations,
  PoolBackoffs,
  RegistrationHealths,
  Rollouts,
  SweepState,
  SweepStateStore,
} from '../../ports/learned-state.ts';
import { ifVersion, toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rolloutSchema = z.object(stoppedRolloutFields);

/** Longer than a node class stays in use while it produces no working nodes. */
const ROLLOUT_KEPT_MS = 90 * DAY_MS;

export function dynamoRollouts(table: DynamoTable): Rollouts {
  return {
    list: () => table.list('StoppedRollout', rolloutSchema),
    async stop(rollout) {
      const expiresAt = toExpiry(rollout.at + ROLLOUT_KEPT_MS);
      await table.put('StoppedRollout', rollout.nodeClass, { ...rollout, expiresAt }, {});
    },
    resume: (nodeClass) => table.remove('StoppedRollout', nodeClass),
  };
}

const backoffSchema = z.object(poolBackoffFields);

/** The kind of row. */
const BACKOFF_KINDS = {
  registration: 'PoolBackoff',
  launch: 'LaunchBackoff',
  placement: 'PlacementBackoff',
  drift: 'DriftBackoff',
} as const satisfies Record<BackoffCause, string>;

export function dynamoPoolBackoffs(table: DynamoTable): PoolBackoffs {
  return {
    list: (cause) => table.list(BACKOFF_KINDS[cause], backoffSchema),
    async save(cause, backoff) {
      // A pool without attempts for a day starts without backoff.
      const expiresAt = toExpiry(backoff.until + DAY_MS);
      const name = toBackoffName(backoff.pool, backoff.owner);
      await table.put(BACKOFF_KINDS[cause], name, { ...backoff, expiresAt }, {});
    },
    remove: (cause, pool, owner) => table.remove(BACKOFF_KINDS[cause], toBackoffName(pool, owner)),
  };
}

const toBackoffName = (pool: string, owner: string | undefined): string =>
  owner === undefined ? pool : `${pool}#${owner}`;

const HEALTH = 'RegistrationHealth';
const MAX_TRIES = 10;
/** The rows of deleted NodePools go some time. */
const HEALTH_KEPT_MS = 90 * DAY_MS;

const resultSchema: z.ZodType<RegistrationResult> = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('registered') }),
  z.object({ outcome: z.literal('failed'), reason: z.string(), message: z.string() }),
]);
const healthSchema = z.object({
  pool: z.string(),
  poolUid: z.string(),
  generation: z.int(),
  nodeClassGeneration: z.int(),
  results: z.array(resultSchema),
} satisfies FieldsOf<RegistrationHealth>);
const healthRowSchema = z.object({ health: healthSchema, version: z.int() });

export function dynamoRegistrationHealths(table: DynamoTable): RegistrationHealths {
  return {
    async list() {
      const rows = await table.list(HEALTH, healthRowSchema);
      return rows.map(({ health }) => health);
    },
    async record(pool, result, now) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await table.get(HEALTH, pool.name, healthRowSchema);
        const health = addResult(stored?.health, pool, result);
        if (health === stored?.health) return;
        const version = stored?.version ?? 0;
        const row = { health, version: version + 1, expiresAt: toExpiry(now + HEALTH_KEPT_MS) };
        if (await table.put(HEALTH, pool.name, row, ifVersion(version))) return;
      }
      throw new Error(`The registration health of NodePool ${pool.name} changes too fast`);
    },
  };
}

const nominationSchema = z.object({ targets: z.array(z.string()), until: z.number() });

/** A row holds 400 KB, and names have at most 253 characters. */
const MAX_TARGETS = 1_000;

/**
 * Writes the nominations of one plan as one row, so a plan of a thousand nodes does not need a
 * thousand writes.
 */
export function dynamoNominations(table: DynamoTable): Nominations {
  return {
    async list(now) {
      const ends = new Map<string, EpochMs>();
      for (const { targets, until } of await table.listShortLived('Nomination', nominationSchema, now)) {
        for (const name of targets) ends.set(name, Math.max(until, ends.get(name) ?? until));
      }
      return Object.fromEntries(ends);
    },
    async nominate(names, until) {
      await Promise.all(
        splitIntoBatches(names, MAX_TARGETS).map((targets) =>
          table.putShortLived('Nomination', computeDigest(targets), { targets }, until),
        ),
      );
    },
  };
}

const computeDigest = (names: readonly string[]): string =>
  createHash('sha256').update(names.join()).digest('hex').slice(0, 16);

const sweepSchema = z.object({
  tableSince: z.number(),
  unexplained: z.record(z.string(), z.number()),
  confirmedUntil: z.number().exactOptional(),
  nodePeaks: z.array(z.object({ hour: z.number(), nodes: z.number() })).exactOptional(),
} satisfies FieldsOf<SweepState>);

/** An operator confirms the sweep by setting `confirmedUntil`, in milliseconds since 1970. */
export function dynamoSweepState(table: DynamoTable): SweepStateStore {
  return {
    read: () => table.get('Sweep', NOTES, sweepSchema),
    async write(notes) {
      await table.put('Sweep', NOTES, { ...notes }, {});
    },
  };
}

const NOTES = 'notes';
