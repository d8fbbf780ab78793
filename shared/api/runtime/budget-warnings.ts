import { parseCron } from '../../model/cron.ts';
import { nextHit } from '../../model/cron-hits.ts';
import { type FieldPath, quoted } from '../finding.ts';
import type { NodePoolSpec } from '../objects/node-pool.ts';
import { type Fault, fault } from './fault.ts';

type Budgets = NodePoolSpec['disruption']['budgets'];

/** Budgets that hold at other times, or for other reasons, than they may look. */
export const budgetWarnings = (budgets: Budgets): readonly Fault[] =>
  budgets.flatMap(({ reasons, schedule }, index) => {
    const path = ['spec', 'disruption', 'budgets', index];
    return [
      ...(reasons?.length === 0 ? [noReason([...path, 'reasons'])] : []),
      ...(schedule === undefined ? [] : scheduleWarnings(schedule, [...path, 'schedule'])),
    ];
  });

const noReason = (path: FieldPath): Fault =>
  fault(
    'budgets',
    path,
    'a budget for no reason limits nothing',
    'name reasons, or take the list out for all of them',
  );

function scheduleWarnings(schedule: string, path: FieldPath): readonly Fault[] {
  const cron = parseCron(schedule);
  if (!cron) {
    return [
      fault(
        'budgets',
        path,
        `${quoted(schedule)} is no schedule that can be computed: nothing may be disrupted`,
        'write five cron fields in range, for example "0 9 * * mon-fri"',
      ),
    ];
  }
  // Where the search begins does not matter: every five years have all days but 29 February of one.
  if (nextHit(cron, 0) !== undefined) return [];
  return [
    fault(
      'budgets',
      path,
      `${quoted(schedule)} never comes: the budget holds at all times`,
      'write a day that the calendar has',
    ),
  ];
}
