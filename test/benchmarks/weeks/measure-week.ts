import { POLICIES } from './policies.ts';
import { runWeek } from './run-week.ts';
import { weekSchema } from './week-result.ts';

// Runs one week in a process of its own: node measure-week.ts WEEK, a JSON of `Week`. Sends the figures to the
// parent process.
const week = weekSchema.parse(JSON.parse(process.argv[2] ?? ''));
process.send?.(await runWeek({ ...week, ...POLICIES[week.policy] }));
