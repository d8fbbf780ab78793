import * as z from 'zod';
import { durationMs } from '../model/duration.ts';
import type { Budget } from '../model/node-pool.ts';
import { budgetDurationSchema } from './durations.ts';
import { quoted, ruleRefused } from './finding.ts';
import { refuse } from './read-with-schema.ts';

const NODES = /^((100|[0-9]{1,2})%|[0-9]+)$/;
// As Go reads it: `.` is all but a line feed, `\s` the five ASCII blanks.
const SCHEDULE =
  /^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|(([^\n]+)[\t\n\f\r ]([^\n]+)[\t\n\f\r ]([^\n]+)[\t\n\f\r ]([^\n]+)[\t\n\f\r ]([^\n]+))$/;
const LONGEST_SCHEDULE = 256;

const nodesSchema = z.string().superRefine((nodes, ctx) => {
  if (NODES.test(nodes)) return;
  refuse(
    ctx,
    ruleRefused(
      'budget nodes',
      `${quoted(nodes)} is no number of nodes`,
      'a whole number, or a percentage from 0% to 100%',
      'write "10%" or "5"',
    ),
  );
});

const scheduleSchema = z.string().superRefine((schedule, ctx) => {
  if (schedule.length <= LONGEST_SCHEDULE && SCHEDULE.test(schedule)) return;
  refuse(
    ctx,
    ruleRefused(
      'budget schedule',
      `${quoted(schedule)} is no schedule`,
      'five cron fields in UTC, or @hourly, @daily, @weekly, @monthly, @yearly',
      'write "0 9 * * mon-fri", for example',
    ),
  );
});

const reasonsSchema = z
  .array(z.enum(['Underutilized', 'Empty', 'Drifted']))
  .max(50)
  .superRefine((reasons, ctx) => {
    const doubled = reasons.findIndex((reason, index) => reasons.indexOf(reason) !== index);
    if (doubled < 0) return;
    const what = `${reasons[doubled] ?? 'reason'} twice`;
    refuse(ctx, ruleRefused('budget reasons', what, 'reasons are a set', 'take one out'), [
      doubled,
    ]);
  });

export const budgetSchema = z
  .object({
    nodes: nodesSchema.default('10%'),
    reasons: reasonsSchema.optional(),
    schedule: scheduleSchema.optional(),
    duration: budgetDurationSchema.optional(),
  })
  .superRefine(({ schedule, duration }, ctx) => {
    if ((schedule === undefined) === (duration === undefined)) return;
    const [has, lacks] =
      schedule === undefined ? ['duration', 'schedule'] : ['schedule', 'duration'];
    refuse(
      ctx,
      ruleRefused(
        'NP-04',
        `${has} without ${lacks}`,
        'schedule and duration go together',
        `add ${lacks}`,
      ),
    );
  });

export const readBudget = ({
  nodes,
  reasons,
  schedule,
  duration,
}: z.output<typeof budgetSchema>): Budget => ({
  nodes,
  ...(reasons ? { reasons } : {}),
  ...(schedule === undefined ? {} : { schedule }),
  ...(duration === undefined ? {} : { durationMs: durationMs(duration) }),
});
