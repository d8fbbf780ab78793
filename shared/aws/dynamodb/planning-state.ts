import * as z from 'zod';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type {
  KeyRange,
  PlannerPause,
  PlanningAttempt,
  PlanningState,
  PlanningStateStore,
  SetAsideSubject,
} from '../../ports/planning-state.ts';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rangeSchema = z.object({
  from: z.string(),
  to: z.string().exactOptional(),
} satisfies FieldsOf<KeyRange>);

const attemptSchema = z.object({
  startedAt: z.number(),
  suspects: rangeSchema.exactOptional(),
  only: z.string().exactOptional(),
  withoutSubjects: z.boolean().exactOptional(),
  hasFailed: z.literal(true).exactOptional(),
} satisfies FieldsOf<PlanningAttempt>);

const setAsideSchema = z.object({
  key: z.string(),
  failures: z.int(),
  until: z.number(),
  isPool: z.literal(true).exactOptional(),
} satisfies FieldsOf<SetAsideSubject>);

const pauseSchema = z.object({
  failures: z.int(),
  until: z.number(),
} satisfies FieldsOf<PlannerPause>);

const stateSchema: z.ZodType<PlanningState> = z.object({
  attempt: attemptSchema.exactOptional(),
  suspects: z.array(rangeSchema),
  areOthersPlanned: z.boolean(),
  confirming: z.string().exactOptional(),
  setAside: z.array(setAsideSchema),
  unfinished: z.int().exactOptional(),
  endsWithoutSubjects: z.boolean().exactOptional(),
  pause: pauseSchema.exactOptional(),
  byPool: z.literal(true).exactOptional(),
} satisfies FieldsOf<PlanningState>);

const rowSchema = z.object({ state: stateSchema, version: z.int() });

/** @see shared/controllers/planning-attempts for the protocol */
export function dynamoPlanningState(table: DynamoTable): PlanningStateStore {
  return {
    find: (planner) => table.get('Planning', planner, rowSchema),
    save: (planner, state, expected) =>
      table.put('Planning', planner, { state, version: expected + 1 }, ifVersion(expected)),
  };
}
