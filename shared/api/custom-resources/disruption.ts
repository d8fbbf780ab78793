import { defaulting, listOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { FORMER_CONSOLIDATION_POLICIES, FORMER_DISRUPTION_FIELDS } from './former-fields.ts';
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
      'The disruption reasons that the budget limits. Default: all. An empty list: none.',
      oneOf('A reason to disrupt a node.', ['Underutilized', 'Empty', 'Drifted', 'Unhealthy']),
      { maxItems: 50, listType: 'set' },
    ),
    schedule: text(
      'When the budget becomes active, as a cron schedule in UTC or in the time zone of a prefix: "0 9 * * mon-fri", "CRON_TZ=Europe/Berlin 0 9 * * mon-fri", "@daily". Default: always active.',
      {
        // The pattern of macros is open at the end, like Karpenter's: `@dailyx` is stored too, and
        // then allows no disruption.
        pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
        wording: {
          noun: 'schedule',
          grammar: 'five cron fields in UTC, or after CRON_TZ=ZONE, or @hourly, @daily, @weekly, @monthly, @yearly',
          example: '"0 9 * * mon-fri"',
        },
      },
    ),
    duration: text('How long the budget is active after each time of the schedule: 8h, 1h30m.', {
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
        'A node is considered for consolidation once no pod was added to it or removed from it for this time. Never: nodes are not consolidated.',
      ),
      '0s',
    ),
    consolidationPolicy: defaulting(
      oneOf(
        'Which nodes are considered for consolidation. WhenEmpty: nodes without pods. WhenEmptyOrUnderutilized: also nodes whose pods run cheaper elsewhere. Balanced: of these, only those whose saving is worth the disruption.',
        ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
        { former: FORMER_CONSOLIDATION_POLICIES },
      ),
      'WhenEmptyOrUnderutilized',
    ),
    budgets: defaulting(
      listOf(
        'How many nodes may be disrupted at once. If several budgets are active, the strictest applies. An empty list sets no limit.',
        budget,
        { maxItems: 50, listType: 'atomic' },
      ),
      [{ nodes: '10%' }],
    ),
  },
  former: FORMER_DISRUPTION_FIELDS,
});
