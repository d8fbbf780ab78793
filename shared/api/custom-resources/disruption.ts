import { defaulting, listOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { nillableDuration } from './scalars.ts';

const WINDOW: Rule = {
  id: 'NP-04',
  cel: 'has(self.schedule) == has(self.duration)',
  why: 'schedule and duration go together',
  fix: 'add the other, or take both out',
};

const budget = object('How many nodes of the pool may be disrupted at once.', {
  optional: {
    nodes: defaulting(
      text('A count, or a percentage of the pool\'s nodes rounded up: "5", "10%".', {
        pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
        wording: {
          noun: 'number of nodes',
          grammar: 'a whole number, or a percentage from 0% to 100%',
          example: '"10%"',
        },
      }),
      '10%',
    ),
    reasons: listOf(
      'The reasons that the budget is for; absent, it is for all. An empty list is for none.',
      oneOf('A reason to disrupt a node.', ['Underutilized', 'Empty', 'Drifted']),
      { maxItems: 50, listType: 'set' },
    ),
    schedule: text(
      'When the budget begins to hold, as cron in UTC, or in the time zone of a prefix: "0 9 * * mon-fri", "CRON_TZ=Europe/Berlin 0 9 * * mon-fri", "@daily". Absent, it always holds.',
      {
        // The pattern of macros is open at the end, like Karpenter's: `@dailyx` is stored too, and
        // then allows no disruption.
        pattern:
          '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
        wording: {
          noun: 'schedule',
          grammar:
            'five cron fields in UTC, or after CRON_TZ=ZONE, or @hourly, @daily, @weekly, @monthly, @yearly',
          example: '"0 9 * * mon-fri"',
        },
      },
    ),
    duration: text('How long the budget holds from each time of the schedule: 8h, 1h30m.', {
      pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
      wording: {
        noun: 'duration',
        grammar: 'whole hours, then minutes, like 10m, 8h or 8h30m',
        example: '10m',
      },
    }),
  },
  rules: [WINDOW],
});

/** When and how fast nodes of a pool may be removed or replaced. */
export const disruption = object('When and how fast nodes of the pool are removed or replaced.', {
  optional: {
    consolidateAfter: defaulting(
      nillableDuration(
        'How long no pod may have come to or gone from a node before it is considered for consolidation. Never: it is not.',
      ),
      '0s',
    ),
    consolidationPolicy: defaulting(
      oneOf(
        'Which nodes are considered: empty ones, those whose pods would run cheaper elsewhere as well, or of those only where the savings are worth the disruption.',
        ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
      ),
      'WhenEmptyOrUnderutilized',
    ),
    budgets: defaulting(
      listOf(
        'How many nodes may be disrupted at once; where several budgets hold, the strictest counts. An empty list sets no limit.',
        budget,
        { maxItems: 50, listType: 'atomic' },
      ),
      [{ nodes: '10%' }],
    ),
  },
});
